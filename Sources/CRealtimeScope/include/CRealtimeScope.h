// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>

// Marks the stretch of a thread that must be real-time safe. In a build with RealtimeSanitizer
// every allocation, lock and blocking system call between the two is reported; in any other build
// both are empty. They live in a .c file because code in a header does not see the target's defines.

__attribute__((swift_attr("@_noLocks"))) void drawbar_realtime_enter(void);
__attribute__((swift_attr("@_noLocks"))) void drawbar_realtime_exit(void);

/// 1 in a build with RealtimeSanitizer, else 0.
int drawbar_realtime_is_checked(void);

/// Ticks of a clock that costs a few nanoseconds to read, for timing the render path itself: the
/// processor's own counter where the kernel keeps its time by that (so it is steady, and the same on
/// every processor), else CLOCK_MONOTONIC_RAW (some 25 ns, vDSO). Never a system call.
__attribute__((swift_attr("@_noLocks"))) uint64_t drawbar_ticks(void);

/// Finds out which of the two it is; until then it is the slower. Reads a file: not real-time. To be
/// called before anything is timed, by any thread, any number of times.
void drawbar_prepare_ticks(void);

/// Nanoseconds of CLOCK_MONOTONIC_RAW, the clock that jackd counts in. Read without a system call
/// (vDSO).
__attribute__((swift_attr("@_noLocks"))) uint64_t drawbar_monotonic_nanoseconds(void);
