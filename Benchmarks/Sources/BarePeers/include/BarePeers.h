// SPDX-License-Identifier: MIT
#pragma once
#include <stddef.h>
#include <stdint.h>

// What the engine's parts are measured against: the same libraries and the same copies in plain C,
// with nothing around them.

/// Nanoseconds of processor time that this thread has used (CLOCK_THREAD_CPUTIME_ID).
uint64_t bare_thread_nanoseconds(void);

typedef struct {
  const uint8_t *bytes;
  size_t count;
} bare_packet;

/// libmpg123 in reader mode with the flags of the engine's decoder, one mpg123_decode_frame a
/// packet, every sample written to one buffer a channel: an output has to get them somehow, so a
/// loop that leaves them in libmpg123's own buffer would do less than its job.
typedef struct bare_decoder bare_decoder;

/// NULL when libmpg123 refuses the first packet. The packets must outlive the decoder.
bare_decoder *bare_decoder_make(const bare_packet *packets, size_t count, int channels);
void bare_decoder_free(bare_decoder *decoder);
/// Decodes the next `count` packets, from the first again after the last. Returns the frames.
size_t bare_decoder_run(bare_decoder *decoder, size_t count);
/// The samples of a channel that the last packet gave.
const float *bare_decoder_output(const bare_decoder *decoder, int channel);

/// soxr in high quality, stereo, fed pieces of at most 512 frames, emptied in pieces of `output_piece`.
typedef struct bare_resampler bare_resampler;

bare_resampler *bare_resampler_make(int input_rate, int output_rate);
void bare_resampler_free(bare_resampler *resampler);
/// Takes all of the input. Returns the frames that came out.
size_t bare_resampler_run(
    bare_resampler *resampler, const float *input, size_t frames, size_t output_piece);

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
