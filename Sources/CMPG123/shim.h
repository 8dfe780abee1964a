// SPDX-License-Identifier: MIT
#pragma once
#define MPG123_NO_LARGENAME
#define MPG123_ENUM_API
#include <mpg123.h>

// Verified for the render thread. Each of these was run under RealtimeSanitizer with a prepared handle (reader
// callbacks, native rate, format requested beforehand). In code that is checked with @_noLocks, the compiler refuses
// every other function of this library.

/// Decodes one frame from the reader into the handle's own buffer. It allocates only before the handle is first
/// asked for its format, which `MPEGAudioDecoder` does when it is made.
__attribute__((swift_attr("@_noLocks")))
int mpg123_decode_frame(mpg123_handle *mh, off_t *num, unsigned char **audio, size_t *bytes);
