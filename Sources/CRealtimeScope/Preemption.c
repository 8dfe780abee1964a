// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "CRealtimeScope.h"

#include <stddef.h>

#if defined(__linux__) && defined(__has_include)
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif
#endif

// A restartable sequence (rseq(2)) is how a thread learns that it was interrupted: whenever the kernel has
// given its processor to another thread, it looks where the thread was. Inside the sequence that the
// thread's area names, the thread goes on at the sequence's abort address; outside of it, the kernel takes
// the sequence's name out of the area. Here the sequence lies where no thread ever runs. So its name stays
// in the area as long as the thread keeps the processor.

#if defined(RSEQ_SIG) && defined(__has_builtin) && __has_builtin(__builtin_thread_pointer)

// The kernel checks that the word before the abort address is the signature that glibc has registered.
static const uint32_t nowhere[2] = {0, RSEQ_SIG};
static struct rseq_cs sequence __attribute__((aligned(32)));

// Where every thread's area is from its thread pointer, which is never nothing; 0 while that is not known.
static ptrdiff_t area_offset;

void drawbar_prepare_preemption_watch(void) {
  // 0 where glibc has registered no area: an old kernel, a debugger that knows none, a tunable.
  if (__rseq_size == 0) return;
  // Always the same values: threads that do this at once do no harm.
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
