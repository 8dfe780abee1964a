// SPDX-License-Identifier: MIT
#pragma once
#include <dlfcn.h>
#include <fftw3.h>
#include <stdbool.h>

// The program does not link FFTW. It is loaded when the first convolver is made.

/// The functions that are used, in single precision.
#define DRAWBAR_FFTW_FUNCTIONS(function) \
  function(fftwf_plan_dft_r2c_1d) \
  function(fftwf_plan_dft_c2r_1d) \
  function(fftwf_destroy_plan) \
  function(fftwf_execute)

/// The addresses of the functions in the process, which are never written again.
struct __attribute__((swift_attr("@Sendable"))) drawbar_fftw {
#define DRAWBAR_FIELD(name) __typeof__(name) *_Nonnull name;
  DRAWBAR_FFTW_FUNCTIONS(DRAWBAR_FIELD)
#undef DRAWBAR_FIELD
};

/// The file of the version that this header belongs to.
#define DRAWBAR_FFTW_FILE "libfftw3f.so.3"

static inline const char *_Nonnull drawbar_fftw_file(void) { return DRAWBAR_FFTW_FILE; }

/// Loads the library for the rest of the process; false if it is missing or incomplete.
static inline bool drawbar_fftw_load(struct drawbar_fftw *_Nonnull functions) {
  void *library = dlopen(DRAWBAR_FFTW_FILE, RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
#define DRAWBAR_FIND(name) \
  void *found_##name = dlsym(library, #name); \
  if (!found_##name) return false; \
  functions->name = (__typeof__(name) *)found_##name;
  DRAWBAR_FFTW_FUNCTIONS(DRAWBAR_FIND)
#undef DRAWBAR_FIND
  return true;
}

/// Plans a transform from real samples to their spectrum. FFTW_ESTIMATE makes each run choose the same algorithm.
/// One thread at a time.
static inline fftwf_plan _Nullable drawbar_fftw_plan_forward(
    const struct drawbar_fftw *_Nonnull fftw, int count, float *_Nonnull samples,
    float *_Nonnull spectrum) {
  return fftw->fftwf_plan_dft_r2c_1d(
      count, samples, (fftwf_complex *)spectrum, FFTW_ESTIMATE | FFTW_DESTROY_INPUT);
}

/// Plans the inverse transform, whose result is `count` times as large. One thread at a time.
static inline fftwf_plan _Nullable drawbar_fftw_plan_inverse(
    const struct drawbar_fftw *_Nonnull fftw, int count, float *_Nonnull spectrum,
    float *_Nonnull samples) {
  return fftw->fftwf_plan_dft_c2r_1d(
      count, (fftwf_complex *)spectrum, samples, FFTW_ESTIMATE | FFTW_DESTROY_INPUT);
}

// Verified for the render thread. A function of its own in the object code, so that the check of that code finds it
// by its name.

/// Transforms the arrays of a plan. FFTW documents it as thread-safe. It takes no lock. Buffers below 64 KiB are on
/// the stack, and the arrays here have 2 KiB; a run under RealtimeSanitizer confirms it.
__attribute__((swift_attr("@_noLocks"), noinline))
static void drawbar_fftw_execute(
    const struct drawbar_fftw *_Nonnull fftw, const fftwf_plan _Nonnull plan) {
  fftw->fftwf_execute(plan);
}
