// SPDX-License-Identifier: MIT
#include "bare_codec.h"

#include <FLAC/stream_decoder.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  bare_codec common;
  FLAC__StreamDecoder *handle;
  // The bytes for the read callback, because libFLAC reads ahead.
  const uint8_t *bytes;
  size_t remaining;
  size_t reading;
  size_t frames;
  bool has_failed;
} flac_codec;

static FLAC__StreamDecoderReadStatus read_bytes(
    const FLAC__StreamDecoder *handle, FLAC__byte *target, size_t *count, void *context) {
  (void)handle;
  flac_codec *self = context;
  if (self->remaining == 0) {
    const bare_packet *packet = &self->common.stream.packets[self->reading];
    self->reading = self->reading + 1 == self->common.stream.count ? 0 : self->reading + 1;
    self->bytes = packet->bytes;
    self->remaining = packet->count;
  }
  size_t taken = *count < self->remaining ? *count : self->remaining;
  memcpy(target, self->bytes, taken);
  self->bytes += taken;
  self->remaining -= taken;
  *count = taken;
  return FLAC__STREAM_DECODER_READ_STATUS_CONTINUE;
}

static FLAC__StreamDecoderWriteStatus take_frame(
    const FLAC__StreamDecoder *handle, const FLAC__Frame *frame, const FLAC__int32 *const *channels,
    void *context) {
  (void)handle;
  flac_codec *self = context;
  const float scale = 1 / (float)((uint32_t)1 << (frame->header.bits_per_sample - 1));
  for (int c = 0; c < self->common.stream.channels; c++) {
    float *restrict target = self->common.output[c];
    const FLAC__int32 *source = channels[c];
    for (size_t i = 0; i < frame->header.blocksize; i++) target[i] = (float)source[i] * scale;
  }
  self->frames = frame->header.blocksize;
  return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE;
}

static void note_error(
    const FLAC__StreamDecoder *handle, FLAC__StreamDecoderErrorStatus status, void *context) {
  (void)handle, (void)status;
  ((flac_codec *)context)->has_failed = true;
}

static size_t decode(bare_codec *codec, const bare_packet *packet) {
  (void)packet;
  flac_codec *self = (flac_codec *)codec;
  self->frames = 0;
  FLAC__stream_decoder_process_single(self->handle);
  return self->has_failed ? 0 : self->frames;
}

static void forget(bare_codec *codec) {
  flac_codec *self = (flac_codec *)codec;
  FLAC__stream_decoder_flush(self->handle);
  self->remaining = 0;
  self->reading = 0;
}

static void release(bare_codec *codec) {
  FLAC__stream_decoder_delete(((flac_codec *)codec)->handle);
}

bare_codec *bare_flac_make(const bare_stream *stream) {
  static const uint8_t signature[] = {'f', 'L', 'a', 'C', 0x80, 0, 0, 34};
  if (stream->cookie_count < 34) return NULL;
  flac_codec *self = bare_codec_allocate(sizeof *self, stream);
  if (self == NULL) return NULL;
  self->handle = FLAC__stream_decoder_new();
  if (self->handle == NULL) {
    bare_codec_free(&self->common);
    return NULL;
  }
  self->common.release = release;
  self->common.forget = forget;
  self->common.decode = decode;
  uint8_t start[sizeof signature + 34];
  memcpy(start, signature, sizeof signature);
  memcpy(start + sizeof signature, stream->cookie, 34);
  self->bytes = start;
  self->remaining = sizeof start;
  if (FLAC__stream_decoder_init_stream(
          self->handle, read_bytes, NULL, NULL, NULL, NULL, take_frame, NULL, note_error, self)
          != FLAC__STREAM_DECODER_INIT_STATUS_OK
      || !FLAC__stream_decoder_process_until_end_of_metadata(self->handle)) {
    bare_codec_free(&self->common);
    return NULL;
  }
  return &self->common;
}
