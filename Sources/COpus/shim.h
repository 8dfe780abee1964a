// SPDX-License-Identifier: MIT
#pragma once
#include <dlfcn.h>
#include <opus/opus.h>
#include <opus/opus_multistream.h>
#include <stdbool.h>

// The program does not link libopus: a program that plays MP3 does not need it. It is loaded when the first decoder
// asks for it.

/// The functions that are used.
#define DRAWBAR_OPUS_FUNCTIONS(function) \
  function(opus_decode_float) \
  function(opus_decoder_create) \
  function(opus_decoder_ctl) \
  function(opus_decoder_destroy) \
  function(opus_multistream_decode_float) \
  function(opus_multistream_decoder_create) \
  function(opus_multistream_decoder_ctl) \
  function(opus_multistream_decoder_destroy) \
  function(opus_strerror)

/// The addresses of the functions in the process, by name. They are never written again.
struct __attribute__((swift_attr("@Sendable"))) drawbar_opus {
#define DRAWBAR_FIELD(name) __typeof__(name) *_Nonnull name;
  DRAWBAR_OPUS_FUNCTIONS(DRAWBAR_FIELD)
#undef DRAWBAR_FIELD
};

/// The library's file. Its interface has never changed.
#define DRAWBAR_OPUS_FILE "libopus.so.0"

static inline const char *_Nonnull drawbar_opus_file(void) { return DRAWBAR_OPUS_FILE; }

/// Loads the library for the rest of the process; false if it is missing or incomplete.
static inline bool drawbar_opus_load(struct drawbar_opus *_Nonnull functions) {
  void *library = dlopen(DRAWBAR_OPUS_FILE, RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
#define DRAWBAR_FIND(name) \
  void *found_##name = dlsym(library, #name); \
  if (!found_##name) return false; \
  functions->name = (__typeof__(name) *)found_##name;
  DRAWBAR_OPUS_FUNCTIONS(DRAWBAR_FIND)
#undef DRAWBAR_FIND
  return true;
}

// The functions that end in `ctl` are variadic in C, and Swift cannot call them.

static inline int drawbar_opus_set_single_gain(
    const struct drawbar_opus *_Nonnull opus, OpusDecoder *_Nonnull decoder, opus_int32 gain) {
  return opus->opus_decoder_ctl(decoder, OPUS_SET_GAIN(gain));
}

static inline int drawbar_opus_set_gain(
    const struct drawbar_opus *_Nonnull opus, OpusMSDecoder *_Nonnull decoder, opus_int32 gain) {
  return opus->opus_multistream_decoder_ctl(decoder, OPUS_SET_GAIN(gain));
}

// Verified for the render thread. Each is a function of its own in the object code, so that the check of that code
// finds it by its name.

/// Decodes one packet of one stream, or conceals a lost one. The decoder's memory is all allocated when it is made
/// (run under RealtimeSanitizer from the first packet); further memory that a call needs is on the stack.
__attribute__((swift_attr("@_noLocks"), noinline))
static int drawbar_opus_decode(
    const struct drawbar_opus *_Nonnull opus, OpusDecoder *_Nonnull decoder,
    const unsigned char *_Nullable bytes, opus_int32 byte_count, float *_Nonnull samples,
    int frame_capacity) {
  return opus->opus_decode_float(decoder, bytes, byte_count, samples, frame_capacity, 0);
}

/// Decodes one packet of several streams, or conceals a lost one.
__attribute__((swift_attr("@_noLocks"), noinline))
static int drawbar_opus_multistream_decode(
    const struct drawbar_opus *_Nonnull opus, OpusMSDecoder *_Nonnull decoder,
    const unsigned char *_Nullable bytes, opus_int32 byte_count, float *_Nonnull samples,
    int frame_capacity) {
  return opus->opus_multistream_decode_float(
      decoder, bytes, byte_count, samples, frame_capacity, 0);
}
