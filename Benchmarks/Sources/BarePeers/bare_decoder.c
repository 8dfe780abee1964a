// SPDX-License-Identifier: MIT
#define MPG123_NO_LARGENAME
#define MPG123_ENUM_API
#include "BarePeers.h"

#include <mpg123.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum { maximum_frames = 1152 };

struct bare_decoder {
  mpg123_handle *handle;
  const bare_packet *packets;
  size_t count;
  size_t next;
  int channels;
  // The bytes for the read callback.
  const uint8_t *bytes;
  size_t remaining;
  float output[2][maximum_frames];
};

static ssize_t read_packet(void *context, void *target, size_t count) {
  bare_decoder *decoder = context;
  size_t taken = count < decoder->remaining ? count : decoder->remaining;
  memcpy(target, decoder->bytes, taken);
  decoder->bytes += taken;
  decoder->remaining -= taken;
  return (ssize_t)taken;
}

static off_t refuse_to_seek(void *context, off_t offset, int whence) {
  (void)context, (void)offset, (void)whence;
  return -1;
}

bare_decoder *bare_decoder_make(const bare_packet *packets, size_t count, int channels) {
  static const long rates[] = {8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000};
  bare_decoder *decoder = calloc(1, sizeof *decoder);
  if (decoder == NULL || count == 0 || channels < 1 || channels > 2) {
    free(decoder);
    return NULL;
  }
  decoder->packets = packets;
  decoder->count = count;
  decoder->channels = channels;
  decoder->bytes = packets[0].bytes;
  decoder->remaining = packets[0].count;
  mpg123_handle *handle = mpg123_new(NULL, NULL);
  decoder->handle = handle;
  mpg123_param(
      handle, MPG123_ADD_FLAGS,
      MPG123_QUIET | MPG123_FORCE_FLOAT | MPG123_NO_READAHEAD | MPG123_IGNORE_INFOFRAME, 0);
  mpg123_param(handle, MPG123_REMOVE_FLAGS, MPG123_GAPLESS, 0);
  mpg123_format_none(handle);
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
    mpg123_format(handle, rates[i], MPG123_MONO | MPG123_STEREO, MPG123_ENC_FLOAT_32);
  }
  mpg123_replace_reader_handle(handle, read_packet, refuse_to_seek, NULL);
  long rate;
  int channel_count, encoding;
  if (mpg123_open_handle(handle, decoder) != MPG123_OK
      || mpg123_getformat(handle, &rate, &channel_count, &encoding) != MPG123_OK) {
    bare_decoder_free(decoder);
    return NULL;
  }
  return decoder;
}

void bare_decoder_free(bare_decoder *decoder) {
  mpg123_delete(decoder->handle);
  free(decoder);
}

static void write_output(bare_decoder *decoder, const float *samples, size_t frames) {
  float *restrict left = decoder->output[0];
  float *restrict right = decoder->output[1];
  if (decoder->channels == 1) {
    memcpy(left, samples, frames * sizeof *samples);
    return;
  }
  for (size_t i = 0; i < frames; i++) {
    left[i] = samples[2 * i];
    right[i] = samples[2 * i + 1];
  }
}

const float *bare_decoder_next(bare_decoder *decoder, size_t *frames) {
  const bare_packet *packet = &decoder->packets[decoder->next];
  decoder->next = decoder->next + 1 == decoder->count ? 0 : decoder->next + 1;
  decoder->bytes = packet->bytes;
  decoder->remaining = packet->count;
  off_t number;
  unsigned char *audio = NULL;
  size_t byte_count = 0;
  int code = mpg123_decode_frame(decoder->handle, &number, &audio, &byte_count);
  if (code == MPG123_NEW_FORMAT) {
    code = mpg123_decode_frame(decoder->handle, &number, &audio, &byte_count);
  }
  *frames = 0;
  if (code != MPG123_OK || audio == NULL) return NULL;
  *frames = byte_count / sizeof(float) / (size_t)decoder->channels;
  return (const float *)(const void *)audio;
}

size_t bare_decoder_run(bare_decoder *decoder, size_t count) {
  size_t total = 0;
  for (size_t i = 0; i < count; i++) {
    size_t frames;
    const float *samples = bare_decoder_next(decoder, &frames);
    if (samples == NULL) continue;
    write_output(decoder, samples, frames);
    total += frames;
  }
  return total;
}

const float *bare_decoder_output(const bare_decoder *decoder, int channel) {
  return decoder->output[channel];
}
