// SPDX-License-Identifier: MIT
//
// Analyses a recorded tone: its frequency, the residual without it, and its breaks.
//
// usage: tone FILE RATE FREQUENCY FIRST PERIOD
//
// FILE holds 32-bit floats, FILE.lost the indices at which the recorder missed frames. The analysis begins
// FIRST frames after the start. Prints one JSON object:
//   frequency     the measured frequency in Hz, by the median step of phase from window to window
//   amplitude     the median window's
//   residual_db   root mean square of the rest relative to the tone's, in the median window
//   glitches      runs of 10 ms windows with an outlying residual, or with a step of phase
//   gaps          runs of 16 and more samples of silence
//   gap_frames    the total length of the gaps
//   repeats       stretches of at least half a period that equal, to the bit, the sound a period before
//   lost          losses by the recorder, which are not examined

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An outlier exceeds the median by this factor, and also exceeds the least value below.
static const double out_of_family = 6;
static const double least_phase_step = 0.1;
static const double least_residual = 0.001;
static const size_t shortest_gap = 16;

typedef struct {
  double amplitude, phase, residual;
  bool is_whole;
} Window;

static void fail(const char *what) {
  fprintf(stderr, "tone: %s\n", what);
  exit(1);
}

static int compare(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double median(double *values, size_t count) {
  if (count == 0) return 0;
  qsort(values, count, sizeof *values, compare);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static double wrapped(double phase) { return remainder(phase, 2 * M_PI); }

// Fits a sine and a cosine of this frequency (radians per sample) by least squares.
static void fit(Window *window, const float *samples, size_t first, size_t length, double frequency) {
  double cc = 0, ss = 0, cs = 0, xc = 0, xs = 0, xx = 0;
  for (size_t index = 0; index < length; index++) {
    const double c = cos(frequency * (double)(first + index)), s = sin(frequency * (double)(first + index));
    const double x = samples[first + index];
    cc += c * c, ss += s * s, cs += c * s, xc += x * c, xs += x * s, xx += x * x;
  }
  const double determinant = cc * ss - cs * cs;
  const double a = (xc * ss - xs * cs) / determinant, b = (xs * cc - xc * cs) / determinant;
  const double power = a * xc + b * xs;
  window->amplitude = sqrt(a * a + b * b);
  window->phase = atan2(-b, a);
  window->residual = power > 0 ? sqrt(fmax(0, xx - power) / power) : INFINITY;
}

static float *read_samples(const char *path, size_t *count) {
  FILE *file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) fail("no such recording");
  *count = (size_t)ftell(file) / sizeof(float);
  rewind(file);
  float *samples = malloc((*count + 1) * sizeof *samples);
  if (samples == NULL || fread(samples, sizeof *samples, *count, file) != *count) fail("unreadable recording");
  fclose(file);
  return samples;
}

// Excludes the windows around lost frames from judgement; returns the number of losses.
static size_t leave_out_losses(const char *path, Window *windows, size_t count, size_t length, size_t first) {
  char losses_path[4096];
  snprintf(losses_path, sizeof losses_path, "%s.lost", path);
  FILE *file = fopen(losses_path, "r");
  if (file == NULL) return 0;
  size_t losses = 0, place = 0;
  while (fscanf(file, "%zu", &place) == 1) {
    if (place < first) continue;
    losses++;
    const size_t middle = (place - first) / length;
    for (size_t index = middle > 0 ? middle - 1 : 0; index <= middle + 1 && index < count; index++) {
      windows[index].is_whole = false;
    }
  }
  fclose(file);
  return losses;
}

int main(int count, char **arguments) {
  if (count != 6) return 64;
  size_t frames;
  float *samples = read_samples(arguments[1], &frames);
  const double rate = atof(arguments[2]);
  double frequency = 2 * M_PI * atof(arguments[3]) / rate;
  const size_t first = (size_t)atol(arguments[4]), period = (size_t)atol(arguments[5]);
  const size_t length = (size_t)(rate / 100);
  if (frames < first + 20 * length) fail("the recording is too short");
  const size_t windows_count = (frames - first) / length;
  Window *windows = calloc(windows_count, sizeof *windows);
  double *values = calloc(windows_count, sizeof *values);
  if (windows == NULL || values == NULL) fail("out of memory");
  for (size_t index = 0; index < windows_count; index++) windows[index].is_whole = true;
  const size_t losses = leave_out_losses(arguments[1], windows, windows_count, length, first);

  // Two passes approach the real frequency, and the third one fits it.
  for (int pass = 0; pass < 3; pass++) {
    for (size_t index = 0; index < windows_count; index++) {
      fit(&windows[index], samples, first + index * length, length, frequency);
    }
    if (pass == 2) break;
    size_t steps = 0;
    for (size_t index = 1; index < windows_count; index++) {
      if (windows[index].is_whole && windows[index - 1].is_whole) {
        values[steps++] = wrapped(windows[index].phase - windows[index - 1].phase);
      }
    }
    frequency += median(values, steps) / (double)length;
  }

  size_t whole = 0;
  for (size_t index = 0; index < windows_count; index++) {
    if (windows[index].is_whole) values[whole++] = windows[index].residual;
  }
  const double residual = median(values, whole);
  whole = 0;
  for (size_t index = 0; index < windows_count; index++) {
    if (windows[index].is_whole) values[whole++] = windows[index].amplitude;
  }
  const double amplitude = median(values, whole);

  size_t steps = 0;
  for (size_t index = 1; index < windows_count; index++) {
    if (windows[index].is_whole && windows[index - 1].is_whole) {
      values[steps++] = fabs(wrapped(windows[index].phase - windows[index - 1].phase));
    }
  }
  const double step_limit = fmax(least_phase_step, out_of_family * median(values, steps));
  const double limit = fmax(least_residual, out_of_family * residual);
  size_t glitches = 0;
  bool was_bad = false;
  for (size_t index = 0; index < windows_count; index++) {
    const Window *window = &windows[index], *before = index > 0 ? window - 1 : NULL;
    const bool steps = before != NULL && before->is_whole && window->is_whole &&
                       fabs(wrapped(window->phase - before->phase)) > step_limit;
    const bool is_bad = window->is_whole && (window->residual > limit || steps);
    if (is_bad && !was_bad) glitches++;
    was_bad = is_bad;
  }

  size_t gaps = 0, gap_frames = 0, repeats = 0, silent = 0, same = 0;
  for (size_t index = first; index < frames; index++) {
    silent = fabsf(samples[index]) < 1e-6f ? silent + 1 : 0;
    if (silent == shortest_gap) gaps++, gap_frames += shortest_gap;
    if (silent > shortest_gap) gap_frames++;
    const bool is_same = index >= first + period && silent == 0 && samples[index] == samples[index - period];
    same = is_same ? same + 1 : 0;
    const size_t window = (index - first) / length;
    if (same == period / 2 && window < windows_count && windows[window].is_whole) repeats++;
  }

  printf("{\"frequency\": %.3f, \"amplitude\": %.4f, \"residual_db\": %.1f, \"glitches\": %zu, \"gaps\": %zu, "
         "\"gap_frames\": %zu, \"repeats\": %zu, \"lost\": %zu}\n",
         frequency * rate / (2 * M_PI), amplitude, 20 * log10(fmax(residual, 1e-10)), glitches, gaps, gap_frames,
         repeats, losses);
  return 0;
}
