// SPDX-License-Identifier: MIT
#include "bare_codec.h"

#include <opus/opus.h>

// 120 ms at 48 kHz.
enum { maximum_frames = 5760 };

typedef struct {
  bare_codec common;
  OpusDecoder *handle;
  float samples[2 * maximum_frames];
} opus_codec;

static size_t decode(bare_codec *codec, const bare_packet *packet) {
  opus_codec *self = (opus_codec *)codec;
  int frames = opus_decode_float(
      self->handle, packet->bytes, (opus_int32)packet->count, self->samples, maximum_frames, 0);
  if (frames <= 0) return 0;
  bare_separate(codec->output, self->samples, (size_t)frames, (size_t)codec->stream.channels);
  return (size_t)frames;
}

static void release(bare_codec *codec) { opus_decoder_destroy(((opus_codec *)codec)->handle); }

bare_codec *bare_opus_make(const bare_stream *stream) {
  if (stream->channels > 2 || stream->cookie_count < 19) return NULL;
  opus_codec *self = bare_codec_allocate(sizeof *self, stream);
  if (self == NULL) return NULL;
  int code;
  self->handle = opus_decoder_create(48000, stream->channels, &code);
  if (self->handle == NULL) {
    bare_codec_free(&self->common);
    return NULL;
  }
  const uint8_t *gain = stream->cookie + 16;
  opus_decoder_ctl(self->handle, OPUS_SET_GAIN((int16_t)(gain[0] | gain[1] << 8)));
  self->common.release = release;
  self->common.decode = decode;
  return &self->common;
}
