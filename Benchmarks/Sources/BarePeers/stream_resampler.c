// SPDX-License-Identifier: MIT
#include "BarePeers.h"

#include <libavutil/opt.h>
#include <libswresample/swresample.h>
#include <samplerate.h>
#include <soxr.h>
#include <stdlib.h>

struct stream_resampler {
  soxr_t soxr;
  SRC_STATE *samplerate;
  SwrContext *swresample;
  double ratio;
  int channels;
};

static soxr_t make_soxr(unsigned long recipe, int input_rate, int output_rate, int channels) {
  soxr_quality_spec_t quality = soxr_quality_spec(recipe, 0);
  soxr_runtime_spec_t runtime = soxr_runtime_spec(1);
  return soxr_create(
      input_rate, output_rate, (unsigned)channels, NULL, NULL, &quality, &runtime);
}

static SwrContext *make_swresample(int is_long, int input_rate, int output_rate, int channels) {
  AVChannelLayout layout;
  av_channel_layout_default(&layout, channels);
  SwrContext *context = NULL;
  int error = swr_alloc_set_opts2(
      &context, &layout, AV_SAMPLE_FMT_FLT, output_rate, &layout, AV_SAMPLE_FMT_FLT, input_rate, 0,
      NULL);
  if (error < 0) return NULL;
  if (is_long) {
    // Double precision inside, and a longer and deeper filter. When the rate is raised, the engine keeps its
    // slope around the end of the band, whatever the cutoff.
    av_opt_set_sample_fmt(context, "internal_sample_fmt", AV_SAMPLE_FMT_DBLP, 0);
    av_opt_set_int(context, "filter_size", 256, 0);
    av_opt_set_double(context, "cutoff", 0.95, 0);
    av_opt_set_int(context, "filter_type", SWR_FILTER_TYPE_KAISER, 0);
    av_opt_set_double(context, "kaiser_beta", 14, 0);
  }
  if (swr_init(context) < 0) swr_free(&context);
  return context;
}

stream_resampler *stream_resampler_make(
    stream_resampler_kind kind, int input_rate, int output_rate, int channels) {
  stream_resampler *resampler = calloc(1, sizeof *resampler);
  if (resampler == NULL) return NULL;
  resampler->ratio = (double)output_rate / input_rate;
  resampler->channels = channels;
  int error;
  switch (kind) {
  case stream_resampler_soxr_low:
    resampler->soxr = make_soxr(SOXR_LQ, input_rate, output_rate, channels);
    break;
  case stream_resampler_soxr_high:
    resampler->soxr = make_soxr(SOXR_HQ, input_rate, output_rate, channels);
    break;
  case stream_resampler_soxr_very_high:
    resampler->soxr = make_soxr(SOXR_VHQ, input_rate, output_rate, channels);
    break;
  case stream_resampler_samplerate_fastest:
    resampler->samplerate = src_new(SRC_SINC_FASTEST, channels, &error);
    break;
  case stream_resampler_samplerate_medium:
    resampler->samplerate = src_new(SRC_SINC_MEDIUM_QUALITY, channels, &error);
    break;
  case stream_resampler_samplerate_best:
    resampler->samplerate = src_new(SRC_SINC_BEST_QUALITY, channels, &error);
    break;
  case stream_resampler_swresample:
    resampler->swresample = make_swresample(0, input_rate, output_rate, channels);
    break;
  case stream_resampler_swresample_long:
    resampler->swresample = make_swresample(1, input_rate, output_rate, channels);
    break;
  }
  if (resampler->soxr == NULL && resampler->samplerate == NULL && resampler->swresample == NULL) {
    free(resampler);
    return NULL;
  }
  return resampler;
}

void stream_resampler_free(stream_resampler *resampler) {
  if (resampler->soxr != NULL) soxr_delete(resampler->soxr);
  if (resampler->samplerate != NULL) src_delete(resampler->samplerate);
  swr_free(&resampler->swresample);
  free(resampler);
}

static int swresample_convert(
    stream_resampler *resampler, const float *input, size_t input_count, float *output,
    size_t output_count) {
  const uint8_t *inputs[] = {(const uint8_t *)input};
  uint8_t *outputs[] = {(uint8_t *)output};
  return swr_convert(
      resampler->swresample, outputs, (int)output_count, inputs, (int)input_count);
}

stream_resampler_progress stream_resampler_process(
    stream_resampler *resampler, const float *input, size_t input_count, float *output,
    size_t output_count) {
  stream_resampler_progress progress = {0, 0};
  if (resampler->soxr != NULL) {
    // With a pointer for the consumed input count, soxr would refuse input that it can hold.
    soxr_process(resampler->soxr, input, 0, NULL, output, output_count, &progress.given);
    if (progress.given == 0) {
      soxr_process(
          resampler->soxr, input, input_count, NULL, output, output_count, &progress.given);
      progress.taken = input_count;
    }
  } else if (resampler->samplerate != NULL) {
    SRC_DATA data = {
        .data_in = input,
        .data_out = output,
        .input_frames = (long)input_count,
        .output_frames = (long)output_count,
        .src_ratio = resampler->ratio,
    };
    if (src_process(resampler->samplerate, &data) == 0) {
      progress.taken = (size_t)data.input_frames_used;
      progress.given = (size_t)data.output_frames_gen;
    }
  } else {
    int given = swresample_convert(resampler, input, 0, output, output_count);
    if (given == 0) {
      given = swresample_convert(resampler, input, input_count, output, output_count);
      progress.taken = input_count;
    }
    progress.given = given > 0 ? (size_t)given : 0;
  }
  return progress;
}
