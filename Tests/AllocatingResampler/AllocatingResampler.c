// SPDX-License-Identifier: MIT
#include "AllocatingResampler.h"

#include <stdlib.h>

const char *soxr_process(
    void *resampler, const void *input, size_t input_count, size_t *taken_count, void *output,
    size_t output_count, size_t *given_count) {
  (void)resampler, (void)input, (void)output, (void)output_count;
  free(malloc(input_count + 1));
  if (taken_count) *taken_count = input_count;
  *given_count = 0;
  return NULL;
}
