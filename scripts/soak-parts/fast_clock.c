// SPDX-License-Identifier: MIT
//
// A library for LD_PRELOAD that makes the monotonic clock, and all waits by it, ten times as fast. JACK's dummy
// driver paces its cycles by that clock, as do all timeouts of the programs. scripts/soak preloads it into the
// server and into each program, so that they agree on the time. The clock of the day is unchanged.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

enum { speed = 10 };
static const long second = 1000000000;

// Deadlines below this number of seconds belong to the monotonic clock, later ones to the clock of the day.
static const time_t earliest_day = 1000000000;

static int (*real_clock_gettime)(clockid_t, struct timespec *);
static int (*real_clock_nanosleep)(clockid_t, int, const struct timespec *, struct timespec *);
static int (*real_poll)(struct pollfd *, nfds_t, int);
static int (*real_cond_timedwait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
static int (*real_sem_clockwait)(sem_t *, clockid_t, const struct timespec *);

// Looks the functions up before any thread runs: dlsym allocates, and a render thread must not.
__attribute__((constructor)) static void find_functions(void) {
  *(void **)&real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
  *(void **)&real_clock_nanosleep = dlsym(RTLD_NEXT, "clock_nanosleep");
  *(void **)&real_poll = dlsym(RTLD_NEXT, "poll");
  // RTLD_NEXT may find the symbol version for old programs.
  *(void **)&real_cond_timedwait = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  if (!real_cond_timedwait)
    *(void **)&real_cond_timedwait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  *(void **)&real_sem_clockwait = dlsym(RTLD_NEXT, "sem_clockwait");
}

static struct timespec from_nanoseconds(long long count) {
  return (struct timespec){.tv_sec = count / second, .tv_nsec = count % second};
}

static long long nanoseconds(struct timespec time) { return time.tv_sec * (long long)second + time.tv_nsec; }

static struct timespec slowed(struct timespec time) { return from_nanoseconds(nanoseconds(time) / speed); }

static int is_monotonic(clockid_t clock) {
  return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE
         || clock == CLOCK_BOOTTIME;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (!real_clock_gettime) find_functions();
  int result = real_clock_gettime(clock, time);
  if (result == 0 && is_monotonic(clock)) *time = from_nanoseconds(nanoseconds(*time) * speed);
  return result;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest) {
  if ((flags & TIMER_ABSTIME) && !is_monotonic(clock)) return real_clock_nanosleep(clock, flags, time, rest);
  struct timespec wait = slowed(*time);
  int result = real_clock_nanosleep(clock, flags, &wait, rest);
  if (result == EINTR && rest && !(flags & TIMER_ABSTIME))
    *rest = from_nanoseconds(nanoseconds(*rest) * speed);
  return result;
}

int nanosleep(const struct timespec *time, struct timespec *rest) {
  errno = clock_nanosleep(CLOCK_MONOTONIC, 0, time, rest);
  return errno ? -1 : 0;
}

int usleep(useconds_t count) {
  struct timespec time = from_nanoseconds(count * 1000LL);
  return nanosleep(&time, NULL);
}

unsigned int sleep(unsigned int count) {
  struct timespec time = {.tv_sec = count, .tv_nsec = 0};
  nanosleep(&time, NULL);
  return 0;
}

int poll(struct pollfd *items, nfds_t count, int milliseconds) {
  // Rounded up, so that a wait of less than 10 ms does not become 0.
  return real_poll(items, count, milliseconds > 0 ? (milliseconds + speed - 1) / speed : milliseconds);
}

int pthread_cond_timedwait(
  pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *deadline) {
  struct timespec moment = deadline->tv_sec < earliest_day ? slowed(*deadline) : *deadline;
  return real_cond_timedwait(condition, mutex, &moment);
}

int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *deadline) {
  struct timespec moment = is_monotonic(clock) ? slowed(*deadline) : *deadline;
  return real_sem_clockwait(semaphore, clock, &moment);
}
