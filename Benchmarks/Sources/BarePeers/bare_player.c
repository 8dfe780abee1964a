// SPDX-License-Identifier: MIT
#include "BarePeers.h"

#include <soxr.h>
#include <stdlib.h>

enum { channels = 2, maximum_frames = 8192 };

struct bare_player {
  bare_decoder *decoder;
  soxr_t soxr;
  // Decoded samples that are not resampled yet.
  const float *samples;
  size_t frames;
  float *output;
};

bare_player *bare_player_make(
    const bare_packet *packets, size_t count, int input_rate, int output_rate) {
  bare_player *player = calloc(1, sizeof *player);
  if (player == NULL) return NULL;
  soxr_quality_spec_t quality = soxr_quality_spec(SOXR_HQ, 0);
  soxr_runtime_spec_t runtime = soxr_runtime_spec(1);
  player->decoder = bare_decoder_make(packets, count, channels);
  player->soxr = soxr_create(input_rate, output_rate, channels, NULL, NULL, &quality, &runtime);
  player->output = calloc((size_t)maximum_frames * channels, sizeof(float));
  if (player->decoder == NULL || player->soxr == NULL || player->output == NULL) {
    bare_player_free(player);
    return NULL;
  }
  return player;
}

void bare_player_free(bare_player *player) {
  if (player->decoder != NULL) bare_decoder_free(player->decoder);
  if (player->soxr != NULL) soxr_delete(player->soxr);
  free(player->output);
  free(player);
}

void bare_player_run(bare_player *player, size_t frames) {
  size_t done = 0;
  while (done < frames) {
    while (player->frames == 0) {
      player->samples = bare_decoder_next(player->decoder, &player->frames);
    }
    size_t taken, given;
    soxr_process(
        player->soxr, player->samples, player->frames, &taken, player->output + done * channels,
        frames - done, &given);
    player->samples += taken * channels;
    player->frames -= taken;
    done += given;
  }
}
