// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "BarePeers.h"

#include <string.h>
#include <time.h>

uint64_t bare_thread_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void bare_copy_packets(
    const bare_packet *packets, size_t count, uint8_t *target, size_t capacity, size_t *position) {
  size_t place = *position;
  for (size_t i = 0; i < count; i++) {
    if (place + packets[i].count > capacity) place = 0;
    memcpy(target + place, packets[i].bytes, packets[i].count);
    // Keeps the compiler from omitting copies that the next lap overwrites.
    __asm__ volatile("" : : "r"(target) : "memory");
    place += packets[i].count;
  }
  *position = place;
}

void bare_copy(float *target, const float *source, size_t floats, size_t piece, size_t times) {
  for (size_t i = 0; i < times; i++) {
    for (size_t done = 0; done < floats; done += piece) {
      size_t count = floats - done < piece ? floats - done : piece;
      memcpy(target + done, source + done, count * sizeof *source);
      __asm__ volatile("" : : "r"(target) : "memory");
    }
  }
}

void bare_silence(float *left, float *right, size_t frames, size_t times) {
  for (size_t i = 0; i < times; i++) {
    memset(left, 0, frames * sizeof *left);
    memset(right, 0, frames * sizeof *right);
    // As above: keeps the compiler from omitting a cycle's silence.
    __asm__ volatile("" : : "r"(left), "r"(right) : "memory");
  }
}
