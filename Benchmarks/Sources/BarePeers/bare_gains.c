// SPDX-License-Identifier: MIT
#include "BarePeers.h"

void bare_gains_run(float *left, float *right, size_t frames, const float *gains, size_t count) {
  for (size_t index = 0; index < count; index++) {
    float gain = gains[index];
    for (size_t frame = 0; frame < frames; frame++) left[frame] *= gain;
    for (size_t frame = 0; frame < frames; frame++) right[frame] *= gain;
  }
}
