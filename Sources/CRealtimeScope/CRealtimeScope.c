// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "CRealtimeScope.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Decided once per process: ticks of one clock must not be read as ticks of the other.
enum { undecided, by_counter, by_clock };
static atomic_int ticking = undecided;

static uint64_t processor_counter(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return 0;
#endif
}

void drawbar_prepare_ticks(void) {
#if defined(__x86_64__)
  static const char wanted[] = "tsc\n";
#elif defined(__aarch64__)
  static const char wanted[] = "arch_sys_counter\n";
#else
  static const char wanted[] = "none";
#endif
  if (atomic_load(&ticking) != undecided) return;
  char name[32] = {0};
  ssize_t count = 0;
  int file =
      open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    count = read(file, name, sizeof name - 1);
    close(file);
  }
  int found = count > 0 && strcmp(name, wanted) == 0 ? by_counter : by_clock;
  int expected = undecided;
  atomic_compare_exchange_strong(&ticking, &expected, found);
}

uint64_t drawbar_ticks(void) {
  int kind = atomic_load_explicit(&ticking, memory_order_relaxed);
  return kind == by_counter ? processor_counter() : drawbar_monotonic_nanoseconds();
}

uint64_t drawbar_monotonic_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void drawbar_rest_freewheeling(void) {
  static const struct timespec time = {.tv_sec = 0, .tv_nsec = 200000};
  nanosleep(&time, NULL);
}

int32_t drawbar_call_render(
    drawbar_render_callback callback, void *context, struct drawbar_render_call *call) {
  return callback(context, call);
}

#ifdef DRAWBAR_RTSAN

void __rtsan_realtime_enter(void);
void __rtsan_realtime_exit(void);

void drawbar_realtime_enter(void) { __rtsan_realtime_enter(); }
void drawbar_realtime_exit(void) { __rtsan_realtime_exit(); }
int drawbar_realtime_is_checked(void) { return 1; }

#else

void drawbar_realtime_enter(void) {}
void drawbar_realtime_exit(void) {}
int drawbar_realtime_is_checked(void) { return 0; }

#endif
