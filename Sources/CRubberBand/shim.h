// SPDX-License-Identifier: MIT
#pragma once
#include <dlfcn.h>
#include <rubberband/rubberband-c.h>
#include <stdbool.h>

#if RUBBERBAND_API_MAJOR_VERSION == 2 && RUBBERBAND_API_MINOR_VERSION < 7
#error "librubberband 3.0 or later is needed; DRAWBAR_WITHOUT=rubberband builds without it"
#endif

// The program does not link librubberband. The library is not verified as real-time safe: it allocates when its
// ratios change, so it runs on the producer's thread. It is loaded when the first queue asks for it.

/// The functions that are used.
#define DRAWBAR_RUBBERBAND_FUNCTIONS(function) \
  function(rubberband_new) \
  function(rubberband_delete) \
  function(rubberband_reset) \
  function(rubberband_set_time_ratio) \
  function(rubberband_set_pitch_scale) \
  function(rubberband_get_preferred_start_pad) \
  function(rubberband_get_start_delay) \
  function(rubberband_set_max_process_size) \
  function(rubberband_process) \
  function(rubberband_available) \
  function(rubberband_retrieve)

/// The addresses of the functions in the process, by name. They are never written again.
struct __attribute__((swift_attr("@Sendable"))) drawbar_rubberband {
#define DRAWBAR_FIELD(name) __typeof__(name) *_Nonnull name;
  DRAWBAR_RUBBERBAND_FUNCTIONS(DRAWBAR_FIELD)
#undef DRAWBAR_FIELD
};

/// The file of the version whose header this is.
#define DRAWBAR_RUBBERBAND_FILE "librubberband.so.2"

static inline const char *_Nonnull drawbar_rubberband_file(void) { return DRAWBAR_RUBBERBAND_FILE; }

/// Loads the library for the rest of the process; false if it is missing or older than its header.
static inline bool drawbar_rubberband_load(struct drawbar_rubberband *_Nonnull functions) {
  void *library = dlopen(DRAWBAR_RUBBERBAND_FILE, RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
#define DRAWBAR_FIND(name) \
  void *found_##name = dlsym(library, #name); \
  if (!found_##name) return false; \
  functions->name = (__typeof__(name) *)found_##name;
  DRAWBAR_RUBBERBAND_FUNCTIONS(DRAWBAR_FIND)
#undef DRAWBAR_FIND
  return true;
}
