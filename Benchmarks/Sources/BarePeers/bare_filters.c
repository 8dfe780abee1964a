// SPDX-License-Identifier: MIT
#include "BarePeers.h"

// The benchmark compares the output with the engine's, bit for bit.
#pragma STDC FP_CONTRACT OFF

void bare_filters_run(
    bare_section *sections, size_t count, const float *input, float *output, double *block,
    size_t frames) {
  for (size_t i = 0; i < frames; i++) block[i] = input[i];
  for (size_t k = 0; k < count; k++) {
    const bare_section c = sections[k];
    double s1 = c.s1, s2 = c.s2;
    for (size_t i = 0; i < frames; i++) {
      const double x = block[i];
      const double y = c.b0 * x + s1;
      s1 = c.b1 * x + s2 - c.a1 * y;
      s2 = c.b2 * x - c.a2 * y;
      block[i] = y;
    }
    sections[k].s1 = s1;
    sections[k].s2 = s2;
  }
  for (size_t i = 0; i < frames; i++) output[i] = (float)block[i];
}
