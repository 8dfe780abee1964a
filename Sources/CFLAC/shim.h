// SPDX-License-Identifier: MIT
#pragma once
#include <FLAC/stream_decoder.h>
#include <FLAC/stream_encoder.h>

// Vouched for on the render thread, with a decoder that `FLACPriming` has made to allocate all that
// any frame can ask for: run under RealtimeSanitizer, also with frames larger than the stream's own.

/// Decodes one frame out of the read callback. Allocates only for a frame with more channels, a
/// larger block or more partitions than any before it.
__attribute__((swift_attr("@_noLocks")))
FLAC__bool FLAC__stream_decoder_process_single(FLAC__StreamDecoder *decoder);

/// Forgets the bytes of the packet before, and any error. Sets fields only.
__attribute__((swift_attr("@_noLocks")))
FLAC__bool FLAC__stream_decoder_flush(FLAC__StreamDecoder *decoder);
