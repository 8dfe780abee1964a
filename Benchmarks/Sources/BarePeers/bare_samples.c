// SPDX-License-Identifier: MIT
#include "bare_codec.h"

#include <string.h>

typedef struct {
  bare_codec common;
  float a_law[256];
  // The state of each IMA ADPCM channel.
  int predictor[bare_maximum_channels];
  int step_index[bare_maximum_channels];
} samples_codec;

static size_t decode_int16(bare_codec *codec, const bare_packet *packet) {
  const uint8_t *bytes = packet->bytes;
  const size_t frames = packet->count / 4;
  float *restrict left = codec->output[0];
  float *restrict right = codec->output[1];
  for (size_t i = 0; i < frames; i++) {
    int16_t pair[2];
    memcpy(pair, bytes + 4 * i, sizeof pair);
    left[i] = (float)pair[0] * 0x1p-15f;
    right[i] = (float)pair[1] * 0x1p-15f;
  }
  return frames;
}

static float int24(const uint8_t *bytes) {
  uint32_t top = (uint32_t)bytes[2] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[0] << 8;
  return (float)(int32_t)top * 0x1p-31f;
}

static size_t decode_int24(bare_codec *codec, const bare_packet *packet) {
  const uint8_t *bytes = packet->bytes;
  const size_t frames = packet->count / 6;
  float *restrict left = codec->output[0];
  float *restrict right = codec->output[1];
  for (size_t i = 0; i < frames; i++) {
    left[i] = int24(bytes + 6 * i);
    right[i] = int24(bytes + 6 * i + 3);
  }
  return frames;
}

static size_t decode_a_law(bare_codec *codec, const bare_packet *packet) {
  const float *values = ((samples_codec *)codec)->a_law;
  const uint8_t *bytes = packet->bytes;
  const size_t frames = packet->count / 2;
  float *restrict left = codec->output[0];
  float *restrict right = codec->output[1];
  for (size_t i = 0; i < frames; i++) {
    left[i] = values[bytes[2 * i]];
    right[i] = values[bytes[2 * i + 1]];
  }
  return frames;
}

// ITU-T G.711, table 1.
static float a_law_value(int code) {
  int bits = code ^ 0x55;
  int segment = bits >> 4 & 7;
  int magnitude = (bits & 15) << 4 | 8;
  if (segment > 0) magnitude = (magnitude + 256) << (segment - 1);
  return (float)(bits & 0x80 ? magnitude : -magnitude) * 0x1p-15f;
}

static const int steps[89] = {
    7,     8,     9,     10,    11,    12,    13,    14,    16,    17,    19,    21,    23,
    25,    28,    31,    34,    37,    41,    45,    50,    55,    60,    66,    73,    80,
    88,    97,    107,   118,   130,   143,   157,   173,   190,   209,   230,   253,   279,
    307,   337,   371,   408,   449,   494,   544,   598,   658,   724,   796,   876,   963,
    1060,  1166,  1282,  1411,  1552,  1707,  1878,  2066,  2272,  2499,  2749,  3024,  3327,
    3660,  4026,  4428,  4871,  5358,  5894,  6484,  7132,  7845,  8630,  9493,  10442, 11487,
    12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767};
static const int moves[8] = {-1, -1, -1, -1, 2, 4, 6, 8};

static int clamp(int value, int least, int most) {
  return value < least ? least : value > most ? most : value;
}

// Decodes one code with the recommendation's steps.
static int advance(int *predictor, int *index, int code) {
  int step = steps[*index];
  int difference = step >> 3;
  if (code & 4) difference += step;
  if (code & 2) difference += step >> 1;
  if (code & 1) difference += step >> 2;
  if (code & 8) difference = -difference;
  *predictor = clamp(*predictor + difference, -32768, 32767);
  *index = clamp(*index + moves[code & 7], 0, 88);
  return *predictor;
}

static size_t decode_ima4(bare_codec *codec, const bare_packet *packet) {
  samples_codec *self = (samples_codec *)codec;
  const size_t channels = (size_t)codec->stream.channels;
  const size_t blocks = packet->count / (34 * channels);
  for (size_t block = 0; block < blocks; block++) {
    for (size_t c = 0; c < channels; c++) {
      const uint8_t *bytes = packet->bytes + 34 * (block * channels + c);
      float *restrict target = codec->output[c] + 64 * block;
      int predictor = self->predictor[c];
      int index = self->step_index[c];
      int stated = (int16_t)(bytes[0] << 8 | (bytes[1] & 0x80));
      int change = stated - predictor;
      if (index != (bytes[1] & 0x7F) || change > 0x7F || change < -0x7F) {
        predictor = stated;
        index = clamp(bytes[1] & 0x7F, 0, 88);
      }
      for (size_t i = 0; i < 32; i++) {
        int codes = bytes[2 + i];
        target[2 * i] = (float)advance(&predictor, &index, codes & 15) * 0x1p-15f;
        target[2 * i + 1] = (float)advance(&predictor, &index, codes >> 4) * 0x1p-15f;
      }
      self->predictor[c] = predictor;
      self->step_index[c] = index;
    }
  }
  return 64 * blocks;
}

bare_codec *bare_samples_make(const bare_stream *stream, bare_encoding encoding) {
  if (encoding != bare_apple_ima4 && stream->channels != 2) return NULL;
  samples_codec *self = bare_codec_allocate(sizeof *self, stream);
  if (self == NULL) return NULL;
  for (int code = 0; code < 256; code++) self->a_law[code] = a_law_value(code);
  switch (encoding) {
    case bare_little_int16: self->common.decode = decode_int16; break;
    case bare_little_int24: self->common.decode = decode_int24; break;
    case bare_a_law: self->common.decode = decode_a_law; break;
    case bare_apple_ima4: self->common.decode = decode_ima4; break;
  }
  return &self->common;
}
