// SPDX-License-Identifier: MIT
#pragma once
#include <dlfcn.h>
#include <ebur128.h>
#include <stdbool.h>

// The program does not link libebur128. The library is not verified as real-time safe: it allocates, so loudness is
// measured on a thread without deadlines. It is loaded when the first meter asks for it.

/// The functions that are used.
#define DRAWBAR_EBUR128_FUNCTIONS(function) \
  function(ebur128_init) \
  function(ebur128_destroy) \
  function(ebur128_set_channel) \
  function(ebur128_add_frames_float) \
  function(ebur128_loudness_global) \
  function(ebur128_loudness_momentary) \
  function(ebur128_loudness_shortterm)

/// The addresses of the functions in the process, by name. They are never written again.
struct __attribute__((swift_attr("@Sendable"))) drawbar_ebur128 {
#define DRAWBAR_FIELD(name) __typeof__(name) *_Nonnull name;
  DRAWBAR_EBUR128_FUNCTIONS(DRAWBAR_FIELD)
#undef DRAWBAR_FIELD
};

/// Loads the library for the rest of the process; false if it is missing or incomplete.
static inline bool drawbar_ebur128_load(struct drawbar_ebur128 *_Nonnull functions) {
  void *library = dlopen("libebur128.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
#define DRAWBAR_FIND(name) \
  void *found_##name = dlsym(library, #name); \
  if (!found_##name) return false; \
  functions->name = (__typeof__(name) *)found_##name;
  DRAWBAR_EBUR128_FUNCTIONS(DRAWBAR_FIND)
#undef DRAWBAR_FIND
  return true;
}
