// SPDX-License-Identifier: MIT
#pragma once
#include <soxr.h>

// Verified for the render thread.

/// Resamples a block of input into the output. Its FIFOs grow by realloc until they have seen the largest block;
/// `Resampler` runs every instance through that before the render thread sees it. The render thread never passes a
/// null input: soxr's own end-of-input handling allocates.
__attribute__((swift_attr("@_noLocks")))
soxr_error_t soxr_process(
    soxr_t resampler, soxr_in_t in, size_t ilen, size_t *idone, soxr_out_t out, size_t olen,
    size_t *odone);
