// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "CRealtimeScope.h"

#include <time.h>

uint64_t drawbar_monotonic_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
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
