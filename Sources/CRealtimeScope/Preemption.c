// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "CRealtimeScope.h"

#include <stddef.h>

#if defined(__linux__) && defined(__has_include)
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif
#endif

// A thread learns from a restartable sequence (rseq(2)) that it was interrupted. Whenever the kernel has given the
// thread's processor to another thread, it compares the thread's instruction pointer with the sequence that the
// thread's area names. Inside that sequence, the thread resumes at the sequence's abort address; outside, the kernel
// clears the sequence's name in the area. Here the sequence lies where no thread ever runs, so its name stays in the
// area as long as the thread keeps the processor.

#if defined(RSEQ_SIG) && defined(__has_builtin) && __has_builtin(__builtin_thread_pointer)

// The kernel requires the signature that glibc has registered in the word before the abort address.
static const uint32_t nowhere[2] = {0, RSEQ_SIG};
static struct rseq_cs sequence __attribute__((aligned(32)));

// Offset of a thread's area from its thread pointer, never 0 once known; 0 until it is known.
static ptrdiff_t area_offset;

void drawbar_prepare_preemption_watch(void) {
  // 0 if glibc has registered no area: an old kernel, a debugger without support, a tunable.
  if (__rseq_size == 0) return;
  // The values are always the same, so several threads may do this at once.
  __atomic_store_n(&sequence.start_ip, (uint64_t)(uintptr_t)&nowhere[0], __ATOMIC_RELAXED);
  __atomic_store_n(&sequence.post_commit_offset, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&sequence.abort_ip, (uint64_t)(uintptr_t)&nowhere[2], __ATOMIC_RELAXED);
  __atomic_store_n(&area_offset, __rseq_offset, __ATOMIC_RELEASE);
}

static volatile struct rseq *thread_area(void) {
  ptrdiff_t offset = __atomic_load_n(&area_offset, __ATOMIC_ACQUIRE);
  return offset ? (volatile struct rseq *)((char *)__builtin_thread_pointer() + offset) : 0;
}

void drawbar_watch_preemption(void) {
  volatile struct rseq *area = thread_area();
  if (area) area->rseq_cs = (uintptr_t)&sequence;
}

enum drawbar_preemption drawbar_end_preemption_watch(void) {
  volatile struct rseq *area = thread_area();
  if (!area) return drawbar_preemption_unknown;
  int is_kept = area->rseq_cs != 0;
  area->rseq_cs = 0;
  return is_kept ? drawbar_preemption_none : drawbar_preemption_some;
}

#else

void drawbar_prepare_preemption_watch(void) {}
void drawbar_watch_preemption(void) {}
enum drawbar_preemption drawbar_end_preemption_watch(void) { return drawbar_preemption_unknown; }

#endif
