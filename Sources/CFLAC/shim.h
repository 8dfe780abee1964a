// SPDX-License-Identifier: MIT
#pragma once
#include <FLAC/stream_decoder.h>
#include <FLAC/stream_encoder.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>

// The program does not link libFLAC: a program that plays MP3 does not need it, nor the Ogg library that it brings.
// It is loaded when the first decoder or encoder asks for it.

/// The functions that are used.
#define DRAWBAR_FLAC_FUNCTIONS(function) \
  function(FLAC__stream_decoder_delete) \
  function(FLAC__stream_decoder_flush) \
  function(FLAC__stream_decoder_get_state) \
  function(FLAC__stream_decoder_init_stream) \
  function(FLAC__stream_decoder_new) \
  function(FLAC__stream_decoder_process_single) \
  function(FLAC__stream_decoder_process_until_end_of_metadata) \
  function(FLAC__stream_decoder_reset) \
  function(FLAC__stream_encoder_delete) \
  function(FLAC__stream_encoder_finish) \
  function(FLAC__stream_encoder_get_state) \
  function(FLAC__stream_encoder_init_stream) \
  function(FLAC__stream_encoder_new) \
  function(FLAC__stream_encoder_process_interleaved) \
  function(FLAC__stream_encoder_set_bits_per_sample) \
  function(FLAC__stream_encoder_set_channels) \
  function(FLAC__stream_encoder_set_sample_rate) \
  function(FLAC__stream_encoder_set_streamable_subset)

/// The addresses of the functions in the process, by name. They are never written again.
struct __attribute__((swift_attr("@Sendable"))) drawbar_flac {
#define DRAWBAR_FIELD(name) __typeof__(name) *_Nonnull name;
  DRAWBAR_FLAC_FUNCTIONS(DRAWBAR_FIELD)
#undef DRAWBAR_FIELD
};

/// The interface version that these headers belong to; the library's file is named after it.
static inline int drawbar_flac_version(void) {
  return FLAC_API_VERSION_CURRENT - FLAC_API_VERSION_AGE;
}

/// Loads the library for the rest of the process; false if it is missing or incomplete.
static inline bool drawbar_flac_load(struct drawbar_flac *_Nonnull functions) {
  char file[32];
  snprintf(file, sizeof file, "libFLAC.so.%d", drawbar_flac_version());
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
#define DRAWBAR_FIND(name) \
  void *found_##name = dlsym(library, #name); \
  if (!found_##name) return false; \
  functions->name = (__typeof__(name) *)found_##name;
  DRAWBAR_FLAC_FUNCTIONS(DRAWBAR_FIND)
#undef DRAWBAR_FIND
  return true;
}

// Verified for the render thread with a decoder for which `FLACPriming` has forced every allocation that any frame
// can need: run under RealtimeSanitizer, also with frames larger than the stream's own. Each is a function of its
// own in the object code, so that the check of that code finds it by its name.

/// Decodes one frame from the read callback. It allocates only for a frame with more channels, a larger block or
/// more partitions than any before it.
__attribute__((swift_attr("@_noLocks"), noinline))
static FLAC__bool drawbar_flac_process_single(
    const struct drawbar_flac *_Nonnull flac, FLAC__StreamDecoder *_Nonnull decoder) {
  return flac->FLAC__stream_decoder_process_single(decoder);
}

/// Discards the bytes of the packet before, and any error. Only sets fields.
__attribute__((swift_attr("@_noLocks"), noinline))
static FLAC__bool drawbar_flac_flush(
    const struct drawbar_flac *_Nonnull flac, FLAC__StreamDecoder *_Nonnull decoder) {
  return flac->FLAC__stream_decoder_flush(decoder);
}
