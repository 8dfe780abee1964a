// SPDX-License-Identifier: MIT
#pragma once
#include "BareCodecs.h"
#include "BarePacket.h"

// The baselines of the engine's parts: the same libraries and the same copies in plain C, with nothing
// around them.

/// Nanoseconds of processor time used by this thread (CLOCK_THREAD_CPUTIME_ID).
uint64_t bare_thread_nanoseconds(void);

/// libmpg123 in reader mode with the flags of the engine's decoder, one mpg123_decode_frame for each packet,
/// and every sample written to one buffer for each channel. An output needs these buffers, so a loop that
/// leaves the samples in libmpg123's own buffer would not be comparable.
typedef struct bare_decoder bare_decoder;

/// Returns NULL if libmpg123 refuses the first packet. The packets must outlive the decoder.
bare_decoder *bare_decoder_make(const bare_packet *packets, size_t count, int channels);
void bare_decoder_free(bare_decoder *decoder);
/// Decodes the next `count` packets, starting over after the last. Returns the number of frames.
size_t bare_decoder_run(bare_decoder *decoder, size_t count);
/// Decodes the next packet and returns its interleaved frames in libmpg123's buffer, valid until the next call.
/// NULL and 0 frames for a packet without output.
const float *bare_decoder_next(bare_decoder *decoder, size_t *frames);
/// The samples of a channel of the last packet.
const float *bare_decoder_output(const bare_decoder *decoder, int channel);

/// soxr in high quality, stereo, fed pieces of at most 512 frames, emptied in pieces of `output_piece`.
typedef struct bare_resampler bare_resampler;

bare_resampler *bare_resampler_make(int input_rate, int output_rate);
void bare_resampler_free(bare_resampler *resampler);
/// Consumes the whole input. Returns the number of output frames.
size_t bare_resampler_run(
    bare_resampler *resampler, const float *input, size_t frames, size_t output_piece);

/// bare_decoder_next followed by soxr in high quality, in stereo: the cost of a stream pulled in cycles. The
/// frames stay interleaved.
typedef struct bare_player bare_player;

/// Returns NULL if a library refuses. The packets must outlive the player.
bare_player *bare_player_make(
    const bare_packet *packets, size_t count, int input_rate, int output_rate);
void bare_player_free(bare_player *player);
/// Produces `frames` frames, at most 8192.
void bare_player_run(bare_player *player, size_t frames);

/// Multiplies two buffers by each of the gains in turn.
void bare_gains_run(float *left, float *right, size_t frames, const float *gains, size_t count);

/// A mixer that multiplies prepared stereo floats and adds them into two buffers.
typedef struct bare_mixer bare_mixer;

/// Each source has room for `capacity` frames and its own gain. Returns NULL without memory.
bare_mixer *bare_mixer_make(size_t sources, const float *gains, size_t capacity);
void bare_mixer_free(bare_mixer *mixer);
/// Copies frames into a source's buffer, from frame `at` on.
void bare_mixer_fill(
    bare_mixer *mixer, size_t source, size_t at, const uint8_t *bytes, size_t frames);
/// Mixes the first `frames` frames, a multiple of the period, which is at most 8192.
void bare_mixer_run(bare_mixer *mixer, size_t frames, size_t period);
/// A channel of the last period.
const float *bare_mixer_output(const bare_mixer *mixer, int channel);

/// A biquad in transposed direct form II, with its state.
typedef struct {
  double b0, b1, b2, a1, a2, s1, s2;
} bare_section;

/// Filters one channel through all sections, each over the whole block: a scalar loop in double precision.
void bare_filters_run(
    bare_section *sections, size_t count, const float *input, float *output, double *block,
    size_t frames);

/// Runs an empty cycle `times` times: memset of both buffers.
void bare_silence(float *left, float *right, size_t frames, size_t times);

/// The libraries' resamplers, all driven alike: interleaved floats, input as needed.
typedef struct stream_resampler stream_resampler;

typedef enum {
  stream_resampler_soxr_low,
  stream_resampler_soxr_high,
  stream_resampler_soxr_very_high,
  stream_resampler_samplerate_fastest,
  stream_resampler_samplerate_medium,
  stream_resampler_samplerate_best,
  /// libswresample's own engine with default settings.
  stream_resampler_swresample,
  /// The same engine in double precision with a filter eight times as long.
  stream_resampler_swresample_long,
} stream_resampler_kind;

typedef struct {
  size_t taken;
  size_t given;
} stream_resampler_progress;

/// Returns NULL if the library refuses.
stream_resampler *stream_resampler_make(
    stream_resampler_kind kind, int input_rate, int output_rate, int channels);
void stream_resampler_free(stream_resampler *resampler);
/// Writes pending output, or else consumes input and writes its output. Both counts are 0 if the library
/// fails.
stream_resampler_progress stream_resampler_process(
    stream_resampler *resampler, const float *input, size_t input_count, float *output,
    size_t output_count);

/// Copies every packet behind the previous one in `target`, and starts over if one does not fit.
void bare_copy_packets(
    const bare_packet *packets, size_t count, uint8_t *target, size_t capacity, size_t *position);
/// Runs memcpy `times` times, in pieces.
void bare_copy(float *target, const float *source, size_t floats, size_t piece, size_t times);

/// Runs libmpg123's scan of a whole file, which reads every frame's header. Returns the frames of sound,
/// or -1 on failure.
long bare_scan(const char *path);

/// The processor time of all threads of `ffmpeg -i PATH -map 0:a:0 -c copy -f null -`; 0 on failure.
uint64_t bare_demux_nanoseconds(const char *path);

/// zita-convolver with two responses, one for each channel, in cycles of `period` frames: first partitions of that
/// length, then longer ones in its own threads. The caller waits for the threads in each cycle.
typedef struct bare_convolver bare_convolver;

/// Returns NULL if the library refuses.
bare_convolver *bare_convolver_make(const float *const *taps, size_t count, size_t period);
void bare_convolver_free(bare_convolver *convolver);
/// Convolves the same input in each cycle. The outputs are those of the last cycle.
void bare_convolver_run(
    bare_convolver *convolver, const float *input, float *const *outputs, size_t cycles);

/// The LADSPA plugin Parametric Equalizer x16 Stereo of the Linux Studio Plugins, in cycles of `period` frames.
typedef struct bare_equalizer bare_equalizer;

/// A peak of an equaliser.
typedef struct {
  float hertz, gain, q;
} bare_bell;

/// Returns NULL if the plugin is not installed, or has other ports. Each cycle writes to the two outputs.
bare_equalizer *bare_equalizer_make(
    const bare_bell *bells, size_t count, size_t rate, size_t period, float *const *outputs);
void bare_equalizer_free(bare_equalizer *equalizer);
/// Filters the same input in each cycle.
void bare_equalizer_run(bare_equalizer *equalizer, const float *input, size_t cycles);

/// Nanoseconds of processor time used by all threads of the process (CLOCK_PROCESS_CPUTIME_ID).
uint64_t bare_process_nanoseconds(void);
