// SPDX-License-Identifier: MIT
#pragma once
#include <opus/opus.h>
#include <opus/opus_multistream.h>

// The functions that end in `ctl` are variadic in C, which Swift cannot call.

static inline int drawbar_opus_set_single_gain(OpusDecoder *decoder, opus_int32 gain) {
  return opus_decoder_ctl(decoder, OPUS_SET_GAIN(gain));
}

static inline int drawbar_opus_set_gain(OpusMSDecoder *decoder, opus_int32 gain) {
  return opus_multistream_decoder_ctl(decoder, OPUS_SET_GAIN(gain));
}

// Vouched for on the render thread.

/// Decodes one packet of one stream, or conceals a lost one. All of a decoder's memory is allocated when
/// it is made (run under RealtimeSanitizer from the first packet); what a call needs besides is on the
/// stack.
__attribute__((swift_attr("@_noLocks")))
int opus_decode_float(
    OpusDecoder *st, const unsigned char *data, opus_int32 len, float *pcm, int frame_size,
    int decode_fec);

/// The same for packets of several streams.
__attribute__((swift_attr("@_noLocks")))
int opus_multistream_decode_float(
    OpusMSDecoder *st, const unsigned char *data, opus_int32 len, float *pcm, int frame_size,
    int decode_fec);
