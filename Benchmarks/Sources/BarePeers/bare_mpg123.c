// SPDX-License-Identifier: MIT
#include "BarePeers.h"
#include "bare_codec.h"

#include <stdlib.h>

typedef struct {
  bare_codec common;
  bare_decoder *decoder;
} mpg123_codec;

static size_t decode(bare_codec *codec, const bare_packet *packet) {
  // The decoder has its own position in the same packets.
  (void)packet;
  return bare_decoder_run(((mpg123_codec *)codec)->decoder, 1);
}

static void release(bare_codec *codec) {
  bare_decoder *decoder = ((mpg123_codec *)codec)->decoder;
  if (decoder == NULL) return;
  for (int c = 0; c < codec->stream.channels; c++) codec->output[c] = NULL;
  bare_decoder_free(decoder);
}

bare_codec *bare_mpg123_make(const bare_stream *stream) {
  mpg123_codec *self = bare_codec_allocate(sizeof *self, stream);
  if (self == NULL) return NULL;
  self->common.decode = decode;
  self->common.release = release;
  self->decoder = bare_decoder_make(stream->packets, stream->count, stream->channels);
  if (self->decoder == NULL) {
    bare_codec_free(&self->common);
    return NULL;
  }
  for (int c = 0; c < stream->channels; c++) {
    free(self->common.output[c]);
    self->common.output[c] = (float *)(uintptr_t)bare_decoder_output(self->decoder, c);
  }
  return &self->common;
}
