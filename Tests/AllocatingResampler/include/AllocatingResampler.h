// SPDX-License-Identifier: MIT
#pragma once
#include <stddef.h>

/// Replaces soxr's function of this name: allocates at each call and returns no output. Loaded into a program
/// before soxr (ld.so(8), LD_PRELOAD), it shows that the program is really watched.
const char *soxr_process(
    void *resampler, const void *input, size_t input_count, size_t *taken_count, void *output,
    size_t output_count, size_t *given_count);
