// SPDX-License-Identifier: MIT
#pragma once
#include "BarePacket.h"

// Codec libraries in plain C loops: from packets in memory to one buffer of floats for each channel, as an
// output needs them.

/// A stream's packets and the decoder's parameters.
typedef struct {
  /// The packets, which must outlive the decoder.
  const bare_packet *packets;
  size_t count;
  int sample_rate;
  int channels;
  /// The library's further parameters.
  const uint8_t *cookie;
  size_t cookie_count;
} bare_stream;

typedef struct bare_codec bare_codec;

// Each returns NULL if the library refuses the stream.

/// libmpg123 as in bare_decoder.
bare_codec *bare_mpg123_make(const bare_stream *stream);
/// libFLAC, which reads the packets through its read callback as if they were a file. The cookie is
/// the stream information block.
bare_codec *bare_flac_make(const bare_stream *stream);
/// libopus, one stream of one or two channels. The cookie is the identification header.
bare_codec *bare_opus_make(const bare_stream *stream);
/// libavcodec's decoder of that name, on one thread. The cookie is what libavcodec calls extradata.
bare_codec *bare_avcodec_make(const bare_stream *stream, const char *name);

typedef enum {
  bare_little_int16,
  bare_little_int24,
  bare_a_law,
  bare_apple_ima4,
} bare_encoding;

/// No library: a loop over the samples.
bare_codec *bare_samples_make(const bare_stream *stream, bare_encoding encoding);

void bare_codec_free(bare_codec *codec);
/// Goes back to the first packet, and resets the decoder if the library can.
void bare_codec_rewind(bare_codec *codec);
/// Decodes the next `count` packets, starting over after the last. Returns the number of frames.
size_t bare_codec_run(bare_codec *codec, size_t count);
/// The samples of a channel of the last packet, and their number.
const float *bare_codec_output(const bare_codec *codec, int channel);
size_t bare_codec_frames(const bare_codec *codec);
