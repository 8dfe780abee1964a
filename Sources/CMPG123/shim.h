// SPDX-License-Identifier: MIT
#pragma once
#define MPG123_NO_LARGENAME
#define MPG123_ENUM_API
#include <mpg123.h>

// Vouched for on the render thread. Each of these was run under RealtimeSanitizer with a prepared
// handle (reader callbacks, native rate, format asked for beforehand); anything else in this
// library is refused by the compiler in code that is checked with @_noLocks.

/// Decodes one frame out of the reader into the handle's own buffer. Allocates only while the
/// handle has never been asked for its format, which `MPEGAudioDecoder` does when it is made.
__attribute__((swift_attr("@_noLocks")))
int mpg123_decode_frame(mpg123_handle *mh, off_t *num, unsigned char **audio, size_t *bytes);
