// SPDX-License-Identifier: MIT
#include "BarePeers.h"

#include <stdlib.h>
#include <string.h>

// The sums are compared with the engine's, bit for bit.
#pragma STDC FP_CONTRACT OFF

enum { channels = 2, maximum_period = 8192 };

struct bare_mixer {
  size_t sources;
  size_t capacity;
  float *gains;
  // One source after the other, each interleaved.
  float *samples;
  float output[channels][maximum_period];
};

bare_mixer *bare_mixer_make(size_t sources, const float *gains, size_t capacity) {
  bare_mixer *mixer = calloc(1, sizeof *mixer);
  if (mixer == NULL) return NULL;
  mixer->sources = sources;
  mixer->capacity = capacity;
  mixer->gains = calloc(sources, sizeof *mixer->gains);
  mixer->samples = calloc(sources * capacity * channels, sizeof *mixer->samples);
  if (mixer->gains == NULL || mixer->samples == NULL) {
    bare_mixer_free(mixer);
    return NULL;
  }
  memcpy(mixer->gains, gains, sources * sizeof *gains);
  return mixer;
}

void bare_mixer_free(bare_mixer *mixer) {
  free(mixer->gains);
  free(mixer->samples);
  free(mixer);
}

void bare_mixer_fill(
    bare_mixer *mixer, size_t source, size_t at, const uint8_t *bytes, size_t frames) {
  float *place = mixer->samples + (source * mixer->capacity + at) * channels;
  memcpy(place, bytes, frames * channels * sizeof *place);
}

void bare_mixer_run(bare_mixer *mixer, size_t frames, size_t period) {
  float *restrict left = mixer->output[0];
  float *restrict right = mixer->output[1];
  for (size_t start = 0; start < frames; start += period) {
    for (size_t source = 0; source < mixer->sources; source++) {
      const float *restrict samples =
          mixer->samples + (source * mixer->capacity + start) * channels;
      const float gain = mixer->gains[source];
      if (source == 0) {
        for (size_t i = 0; i < period; i++) {
          left[i] = samples[2 * i] * gain;
          right[i] = samples[2 * i + 1] * gain;
        }
      } else {
        for (size_t i = 0; i < period; i++) {
          left[i] += samples[2 * i] * gain;
          right[i] += samples[2 * i + 1] * gain;
        }
      }
    }
    // Keeps the compiler from omitting a period that the next one overwrites.
    __asm__ volatile("" : : "r"(left), "r"(right) : "memory");
  }
}

const float *bare_mixer_output(const bare_mixer *mixer, int channel) {
  return mixer->output[channel];
}
