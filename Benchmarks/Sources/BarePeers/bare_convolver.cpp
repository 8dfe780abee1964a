// SPDX-License-Identifier: MIT
extern "C" {
#include "BarePeers.h"
}
#include <sched.h>
#include <string.h>
#include <time.h>
#include <zita-convolver.h>

struct bare_convolver {
  Convproc convproc;
  size_t period;
};

bare_convolver *bare_convolver_make(const float *const *taps, size_t count, size_t period) {
  bare_convolver *convolver = new bare_convolver;
  Convproc &convproc = convolver->convproc;
  convolver->period = period;
  convproc.set_options(Convproc::OPT_VECTOR_MODE);
  bool is_made = convproc.configure(2, 2, count, period, period, Convproc::MAXPART, 1.0f) == 0;
  for (uint32_t channel = 0; is_made && channel < 2; channel++) {
    is_made = convproc.impdata_create(
                  channel, channel, 1, const_cast<float *>(taps[channel]), 0, count) == 0;
  }
  if (is_made && convproc.start_process(0, SCHED_OTHER) == 0) return convolver;
  bare_convolver_free(convolver);
  return nullptr;
}

void bare_convolver_free(bare_convolver *convolver) {
  convolver->convproc.stop_process();
  while (!convolver->convproc.check_stop()) sched_yield();
  convolver->convproc.cleanup();
  delete convolver;
}

void bare_convolver_run(
    bare_convolver *convolver, const float *input, float *const *outputs, size_t cycles) {
  const size_t bytes = convolver->period * sizeof(float);
  for (size_t cycle = 0; cycle < cycles; cycle++) {
    for (uint32_t channel = 0; channel < 2; channel++) {
      memcpy(convolver->convproc.inpdata(channel), input, bytes);
    }
    convolver->convproc.process(true);
    for (uint32_t channel = 0; channel < 2; channel++) {
      memcpy(outputs[channel], convolver->convproc.outdata(channel), bytes);
    }
  }
}

uint64_t bare_process_nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}
