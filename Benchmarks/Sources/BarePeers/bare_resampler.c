// SPDX-License-Identifier: MIT
#include "BarePeers.h"

#include <soxr.h>
#include <stdlib.h>

enum { input_piece = 512, maximum_output_piece = 512, channels = 2 };

struct bare_resampler {
  soxr_t soxr;
  float *output;
};

bare_resampler *bare_resampler_make(int input_rate, int output_rate) {
  bare_resampler *resampler = calloc(1, sizeof *resampler);
  if (resampler == NULL) return NULL;
  soxr_quality_spec_t quality = soxr_quality_spec(SOXR_HQ, 0);
  soxr_runtime_spec_t runtime = soxr_runtime_spec(1);
  resampler->soxr =
      soxr_create(input_rate, output_rate, channels, NULL, NULL, &quality, &runtime);
  resampler->output = calloc((size_t)maximum_output_piece * channels, sizeof(float));
  if (resampler->soxr == NULL || resampler->output == NULL) {
    bare_resampler_free(resampler);
    return NULL;
  }
  return resampler;
}

void bare_resampler_free(bare_resampler *resampler) {
  if (resampler->soxr != NULL) soxr_delete(resampler->soxr);
  free(resampler->output);
  free(resampler);
}

size_t bare_resampler_run(
    bare_resampler *resampler, const float *input, size_t frames, size_t output_piece) {
  const size_t room = output_piece < maximum_output_piece ? output_piece : maximum_output_piece;
  size_t total = 0;
  while (frames > 0) {
    size_t piece = frames < input_piece ? frames : input_piece;
    size_t given;
    soxr_process(resampler->soxr, input, piece, NULL, resampler->output, room, &given);
    total += given;
    while (given == room) {
      soxr_process(resampler->soxr, input, 0, NULL, resampler->output, room, &given);
      total += given;
    }
    input += piece * channels;
    frames -= piece;
  }
  return total;
}
