// SPDX-License-Identifier: MIT
#include "bare_codec.h"

#include <libavcodec/avcodec.h>
#include <libavutil/opt.h>
#include <string.h>

typedef struct {
  bare_codec common;
  AVCodecContext *context;
  AVPacket *packet;
  AVFrame *frame;
} av_codec;

static size_t take(av_codec *self, size_t at) {
  const AVFrame *frame = self->frame;
  const size_t count = (size_t)frame->nb_samples;
  if (at + count > bare_maximum_frames) return 0;
  for (int c = 0; c < self->common.stream.channels; c++) {
    float *restrict target = self->common.output[c] + at;
    switch ((enum AVSampleFormat)frame->format) {
      case AV_SAMPLE_FMT_FLTP:
        memcpy(target, frame->extended_data[c], count * sizeof *target);
        break;
      case AV_SAMPLE_FMT_S16P: {
        const int16_t *source = (const int16_t *)(const void *)frame->extended_data[c];
        for (size_t i = 0; i < count; i++) target[i] = (float)source[i] * 0x1p-15f;
        break;
      }
      case AV_SAMPLE_FMT_S32P: {
        const int32_t *source = (const int32_t *)(const void *)frame->extended_data[c];
        for (size_t i = 0; i < count; i++) target[i] = (float)source[i] * 0x1p-31f;
        break;
      }
      default: return 0;
    }
  }
  return count;
}

static size_t decode(bare_codec *codec, const bare_packet *packet) {
  av_codec *self = (av_codec *)codec;
  // libavcodec only reads it.
  self->packet->data = (uint8_t *)(uintptr_t)packet->bytes;
  self->packet->size = (int)packet->count;
  if (avcodec_send_packet(self->context, self->packet) != 0) return 0;
  size_t frames = 0;
  while (avcodec_receive_frame(self->context, self->frame) == 0) frames += take(self, frames);
  return frames;
}

static void forget(bare_codec *codec) { avcodec_flush_buffers(((av_codec *)codec)->context); }

static void release(bare_codec *codec) {
  av_codec *self = (av_codec *)codec;
  avcodec_free_context(&self->context);
  av_packet_free(&self->packet);
  av_frame_free(&self->frame);
}

bare_codec *bare_avcodec_make(const bare_stream *stream, const char *name) {
  av_codec *self = bare_codec_allocate(sizeof *self, stream);
  if (self == NULL) return NULL;
  self->common.release = release;
  self->common.forget = forget;
  self->common.decode = decode;
  const AVCodec *codec = avcodec_find_decoder_by_name(name);
  self->packet = av_packet_alloc();
  self->frame = av_frame_alloc();
  if (codec != NULL) self->context = avcodec_alloc_context3(codec);
  AVCodecContext *context = self->context;
  if (context != NULL && stream->cookie_count > 0) {
    context->extradata = av_mallocz(stream->cookie_count + AV_INPUT_BUFFER_PADDING_SIZE);
    if (context->extradata != NULL) {
      memcpy(context->extradata, stream->cookie, stream->cookie_count);
      context->extradata_size = (int)stream->cookie_count;
    }
  }
  if (context != NULL) {
    // The engine's setting.
    context->thread_count = 1;
    context->flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL;
    context->request_sample_fmt = AV_SAMPLE_FMT_FLT;
    context->sample_rate = stream->sample_rate;
    context->ch_layout.order = AV_CHANNEL_ORDER_UNSPEC;
    context->ch_layout.nb_channels = stream->channels;
    if (codec->id == AV_CODEC_ID_AC3) {
      context->err_recognition = AV_EF_CRCCHECK;
      av_opt_set_int(context, "cons_noisegen", 1, AV_OPT_SEARCH_CHILDREN);
    }
  }
  if (context == NULL || self->packet == NULL || self->frame == NULL
      || avcodec_open2(context, codec, NULL) < 0) {
    bare_codec_free(&self->common);
    return NULL;
  }
  return &self->common;
}
