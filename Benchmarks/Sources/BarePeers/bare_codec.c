// SPDX-License-Identifier: MIT
#include "bare_codec.h"

#include <stdlib.h>

void *bare_codec_allocate(size_t size, const bare_stream *stream) {
  if (stream->count == 0 || stream->channels < 1 || stream->channels > bare_maximum_channels) {
    return NULL;
  }
  bare_codec *codec = calloc(1, size);
  if (codec == NULL) return NULL;
  codec->stream = *stream;
  for (int c = 0; c < stream->channels; c++) {
    codec->output[c] = calloc(bare_maximum_frames, sizeof(float));
    if (codec->output[c] == NULL) {
      bare_codec_free(codec);
      return NULL;
    }
  }
  return codec;
}

void bare_codec_free(bare_codec *codec) {
  if (codec->release != NULL) codec->release(codec);
  for (int c = 0; c < bare_maximum_channels; c++) free(codec->output[c]);
  free(codec);
}

void bare_codec_rewind(bare_codec *codec) {
  codec->next = 0;
  if (codec->forget != NULL) codec->forget(codec);
}

size_t bare_codec_run(bare_codec *codec, size_t count) {
  size_t total = 0;
  for (size_t i = 0; i < count; i++) {
    const bare_packet *packet = &codec->stream.packets[codec->next];
    codec->next = codec->next + 1 == codec->stream.count ? 0 : codec->next + 1;
    codec->frames = codec->decode(codec, packet);
    total += codec->frames;
  }
  return total;
}

const float *bare_codec_output(const bare_codec *codec, int channel) {
  return codec->output[channel];
}

size_t bare_codec_frames(const bare_codec *codec) { return codec->frames; }
