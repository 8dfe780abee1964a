// SPDX-License-Identifier: MIT
#pragma once
#include "BareCodecs.h"
#include "BarePacket.h"

// What the engine's parts are measured against: the same libraries and the same copies in plain C,
// with nothing around them.

/// Nanoseconds of processor time that this thread has used (CLOCK_THREAD_CPUTIME_ID).
uint64_t bare_thread_nanoseconds(void);

/// libmpg123 in reader mode with the flags of the engine's decoder, one mpg123_decode_frame a
/// packet, every sample written to one buffer a channel: an output has to get them somehow, so a
/// loop that leaves them in libmpg123's own buffer would do less than its job.
typedef struct bare_decoder bare_decoder;

/// NULL when libmpg123 refuses the first packet. The packets must outlive the decoder.
bare_decoder *bare_decoder_make(const bare_packet *packets, size_t count, int channels);
void bare_decoder_free(bare_decoder *decoder);
/// Decodes the next `count` packets, from the first again after the last. Returns the frames.
size_t bare_decoder_run(bare_decoder *decoder, size_t count);
/// Decodes the next packet and leaves its frames, interleaved, where libmpg123 has them until the one after.
/// NULL and no frames for a packet that gives none.
const float *bare_decoder_next(bare_decoder *decoder, size_t *frames);
/// The samples of a channel that the last packet gave.
const float *bare_decoder_output(const bare_decoder *decoder, int channel);

/// soxr in high quality, stereo, fed pieces of at most 512 frames, emptied in pieces of `output_piece`.
typedef struct bare_resampler bare_resampler;

bare_resampler *bare_resampler_make(int input_rate, int output_rate);
void bare_resampler_free(bare_resampler *resampler);
/// Takes all of the input. Returns the frames that came out.
size_t bare_resampler_run(
    bare_resampler *resampler, const float *input, size_t frames, size_t output_piece);

/// bare_decoder_next and soxr in high quality, in stereo, one after the other: what a stream costs that is
/// pulled in cycles. The frames stay interleaved.
typedef struct bare_player bare_player;

/// NULL when a library refuses. The packets must outlive the player.
bare_player *bare_player_make(
    const bare_packet *packets, size_t count, int input_rate, int output_rate);
void bare_player_free(bare_player *player);
/// Gives so many frames, at most 8192.
void bare_player_run(bare_player *player, size_t frames);

/// Multiplies two buffers by each of the gains in turn.
void bare_gains_run(float *left, float *right, size_t frames, const float *gains, size_t count);

/// Stereo floats that are ready, to be multiplied and added up into two buffers.
typedef struct bare_mixer bare_mixer;

/// Each source has room for so many frames and its own gain. NULL without memory.
bare_mixer *bare_mixer_make(size_t sources, const float *gains, size_t capacity);
void bare_mixer_free(bare_mixer *mixer);
/// Puts frames in a source's place, from `at` on.
void bare_mixer_fill(
    bare_mixer *mixer, size_t source, size_t at, const uint8_t *bytes, size_t frames);
/// Mixes the first so many frames, a multiple of the period, which is at most 8192.
void bare_mixer_run(bare_mixer *mixer, size_t frames, size_t period);
/// A channel of the last period.
const float *bare_mixer_output(const bare_mixer *mixer, int channel);

/// A biquad in transposed direct form II, with its state.
typedef struct {
  double b0, b1, b2, a1, a2, s1, s2;
} bare_section;

/// One channel through all sections, one after the other over the whole block: a scalar loop in double precision.
void bare_filters_run(
    bare_section *sections, size_t count, const float *input, float *output, double *block,
    size_t frames);

/// An empty cycle, `times` times: memset of both buffers.
void bare_silence(float *left, float *right, size_t frames, size_t times);

/// Resamplers as libraries give them, all driven alike: interleaved floats, input as it is needed.
typedef struct stream_resampler stream_resampler;

typedef enum {
  stream_resampler_soxr_low,
  stream_resampler_soxr_high,
  stream_resampler_soxr_very_high,
  stream_resampler_samplerate_fastest,
  stream_resampler_samplerate_medium,
  stream_resampler_samplerate_best,
  /// libswresample's own engine as it comes.
  stream_resampler_swresample,
  /// The same engine in double precision with a filter eight times as long.
  stream_resampler_swresample_long,
} stream_resampler_kind;

typedef struct {
  size_t taken;
  size_t given;
} stream_resampler_progress;

/// NULL when the library refuses.
stream_resampler *stream_resampler_make(
    stream_resampler_kind kind, int input_rate, int output_rate, int channels);
void stream_resampler_free(stream_resampler *resampler);
/// Gives output where there is some, else takes input and gives what comes of it. Both counts are 0
/// when the library fails.
stream_resampler_progress stream_resampler_process(
    stream_resampler *resampler, const float *input, size_t input_count, float *output,
    size_t output_count);

/// Copies every packet to the next place of `target`, from its start again where one does not fit.
void bare_copy_packets(
    const bare_packet *packets, size_t count, uint8_t *target, size_t capacity, size_t *position);
/// memcpy, `times` times, in pieces.
void bare_copy(float *target, const float *source, size_t floats, size_t piece, size_t times);

/// libmpg123's scan of a whole file: every frame's header is found and read. The frames of sound, or
/// -1 when it fails.
long bare_scan(const char *path);

/// The processor time of `ffmpeg -i PATH -map 0:a:0 -c copy -f null -`, all its threads; 0 when it fails.
uint64_t bare_demux_nanoseconds(const char *path);

/// zita-convolver with two responses, one for each channel, in cycles of `period` frames: partitions of that length
/// at first, longer ones in threads of its own. The caller waits for the threads in each cycle.
typedef struct bare_convolver bare_convolver;

/// NULL when the library refuses.
bare_convolver *bare_convolver_make(const float *const *taps, size_t count, size_t period);
void bare_convolver_free(bare_convolver *convolver);
/// Convolves the same input in each cycle. The outputs are those of the last one.
void bare_convolver_run(
    bare_convolver *convolver, const float *input, float *const *outputs, size_t cycles);

/// The LADSPA plugin Parametric Equalizer x16 Stereo of the Linux Studio Plugins, in cycles of `period` frames.
typedef struct bare_equalizer bare_equalizer;

/// A peak of an equaliser.
typedef struct {
  float hertz, gain, q;
} bare_bell;

/// NULL when the plugin is not installed, or has other ports. Each cycle writes its frames to the two outputs.
bare_equalizer *bare_equalizer_make(
    const bare_bell *bells, size_t count, size_t rate, size_t period, float *const *outputs);
void bare_equalizer_free(bare_equalizer *equalizer);
/// Filters the same input in each cycle.
void bare_equalizer_run(bare_equalizer *equalizer, const float *input, size_t cycles);

/// Nanoseconds of processor time that all threads of the process have used (CLOCK_PROCESS_CPUTIME_ID).
uint64_t bare_process_nanoseconds(void);
