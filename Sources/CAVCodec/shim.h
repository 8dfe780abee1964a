// SPDX-License-Identifier: MIT
#pragma once
#include <dlfcn.h>
#include <stdbool.h>
#include <libavcodec/avcodec.h>
#include <libavutil/channel_layout.h>
#include <libavutil/error.h>
#include <libavutil/opt.h>

// libavcodec is not verified as real-time safe: it allocates and locks with every packet. So it decodes ahead, on
// the feeder's thread.
//
// The program does not link it, because it brings some hundred libraries that every start of a program would load.
// It is loaded when the first stream needs it.

/// The functions used from libavcodec and from libavutil, which comes with it.
#define DRAWBAR_AVCODEC_FUNCTIONS(function) \
  function(av_channel_layout_channel_from_index) \
  function(av_frame_alloc) \
  function(av_frame_free) \
  function(av_log_set_level) \
  function(av_mallocz) \
  function(av_opt_set_int) \
  function(av_packet_alloc) \
  function(av_packet_free) \
  function(av_sample_fmt_is_planar) \
  function(av_strerror) \
  function(avcodec_alloc_context3) \
  function(avcodec_find_decoder_by_name) \
  function(avcodec_flush_buffers) \
  function(avcodec_free_context) \
  function(avcodec_open2) \
  function(avcodec_receive_frame) \
  function(avcodec_send_packet)

/// The addresses of the functions in the process, by name.
struct drawbar_avcodec {
#define DRAWBAR_FIELD(name) __typeof__(name) *_Nonnull name;
  DRAWBAR_AVCODEC_FUNCTIONS(DRAWBAR_FIELD)
#undef DRAWBAR_FIELD
};

/// The library file of the version that these headers belong to: structures change with the major version.
#define DRAWBAR_AVCODEC_FILE "libavcodec.so." AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR)

static inline const char *_Nonnull drawbar_avcodec_file(void) { return DRAWBAR_AVCODEC_FILE; }

/// Loads the library for the rest of the process; false if it is missing or incomplete.
static inline bool drawbar_avcodec_load(struct drawbar_avcodec *_Nonnull functions) {
  void *library = dlopen(DRAWBAR_AVCODEC_FILE, RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
#define DRAWBAR_FIND(name) \
  void *found_##name = dlsym(library, #name); \
  if (!found_##name) return false; \
  functions->name = (__typeof__(name) *)found_##name;
  DRAWBAR_AVCODEC_FUNCTIONS(DRAWBAR_FIND)
#undef DRAWBAR_FIND
  return true;
}
