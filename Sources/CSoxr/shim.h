// SPDX-License-Identifier: MIT
#pragma once
#include <soxr.h>

// Vouched for on the render thread.

/// Takes input and gives output. Its FIFOs grow by realloc until they have seen the largest block;
/// `Resampler` runs every instance through that before the render thread sees it. Never called with
/// a null input there: soxr's own end-of-input handling allocates.
__attribute__((swift_attr("@_noLocks")))
soxr_error_t soxr_process(
    soxr_t resampler, soxr_in_t in, size_t ilen, size_t *idone, soxr_out_t out, size_t olen,
    size_t *odone);
