// SPDX-License-Identifier: MIT
#pragma once
#include "BareCodecs.h"

enum { bare_maximum_channels = 8, bare_maximum_frames = 1 << 16 };

/// The common first member of every decoder.
struct bare_codec {
  bare_stream stream;
  size_t next;
  /// Frames of the last packet.
  size_t frames;
  float *output[bare_maximum_channels];
  /// Decodes a packet to `output`. Returns the number of frames.
  size_t (*decode)(bare_codec *codec, const bare_packet *packet);
  void (*forget)(bare_codec *codec);
  void (*release)(bare_codec *codec);
};

/// Allocates a decoder of `size` bytes, zeroed except for the common member. NULL without memory, or
/// for too many channels.
void *bare_codec_allocate(size_t size, const bare_stream *stream);

static inline void bare_separate(
    float *const *output, const float *samples, size_t frames, size_t channels) {
  if (channels == 2) {
    float *restrict left = output[0];
    float *restrict right = output[1];
    for (size_t i = 0; i < frames; i++) {
      left[i] = samples[2 * i];
      right[i] = samples[2 * i + 1];
    }
    return;
  }
  for (size_t c = 0; c < channels; c++) {
    float *restrict target = output[c];
    for (size_t i = 0; i < frames; i++) target[i] = samples[i * channels + c];
  }
}
