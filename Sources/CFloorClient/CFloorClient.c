// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "CFloorClient.h"

#include <jack/jack.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { capacity = 8192, port_count = 2, thread_limit = 8 };

// A thread of libjack's: its thread pointer, which the callback reads without a system call, and the kernel's number.
struct thread {
  _Atomic(void *) pointer;
  atomic_int number;
};

struct drawbar_floor_client {
  jack_client_t *jack;
  jack_port_t *ports[port_count];
  atomic_uint_fast32_t xruns;
  struct thread threads[thread_limit];
  atomic_int thread_count;
  _Atomic(void *) process_thread;
  // Complete cycles. A slot is valid while fewer than `capacity` cycles were begun after it.
  atomic_uint_fast64_t written;
  uint64_t taken;
  struct drawbar_floor_cycle cycles[capacity];
};

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// libjack has more threads than the one that runs the process callback.
static void note_thread(void *context) {
  struct drawbar_floor_client *client = context;
  int index = atomic_fetch_add(&client->thread_count, 1);
  if (index >= thread_limit) return;
  atomic_store(&client->threads[index].number, (int)gettid());
  atomic_store(&client->threads[index].pointer, __builtin_thread_pointer());
}

// Not static, and neither is the next callback: the check of their object code finds them by their names.
__attribute__((visibility("hidden"))) int drawbar_floor_process(jack_nframes_t frame_count, void *context) {
  struct drawbar_floor_client *client = context;
  uint64_t entry = now();
  uint32_t wake_frames = jack_frames_since_cycle_start(client->jack);
  uint32_t frame_time = jack_last_frame_time(client->jack);
  for (int port = 0; port < port_count; port++) {
    memset(jack_port_get_buffer(client->ports[port], frame_count), 0,
           frame_count * sizeof(jack_default_audio_sample_t));
  }
  atomic_store_explicit(&client->process_thread, __builtin_thread_pointer(), memory_order_relaxed);
  uint64_t index = atomic_load_explicit(&client->written, memory_order_relaxed);
  client->cycles[index % capacity] = (struct drawbar_floor_cycle){
      .entry_nanoseconds = entry,
      .duration_nanoseconds = now() - entry,
      .frame_time = frame_time,
      .frame_count = frame_count,
      .wake_frames = wake_frames,
      .xruns = (uint32_t)atomic_load_explicit(&client->xruns, memory_order_relaxed),
  };
  atomic_store_explicit(&client->written, index + 1, memory_order_release);
  return 0;
}

__attribute__((visibility("hidden"))) int drawbar_floor_count_xrun(void *context) {
  struct drawbar_floor_client *client = context;
  atomic_fetch_add(&client->xruns, 1);
  return 0;
}

static void say_nothing(const char *message) { (void)message; }

static void connect_to_playback(struct drawbar_floor_client *client) {
  const char **targets = jack_get_ports(client->jack, NULL, JACK_DEFAULT_AUDIO_TYPE,
                                        JackPortIsPhysical | JackPortIsInput);
  if (!targets) return;
  for (int port = 0; port < port_count && targets[port]; port++) {
    jack_connect(client->jack, jack_port_name(client->ports[port]), targets[port]);
  }
  jack_free(targets);
}

struct drawbar_floor_client *drawbar_floor_open(const char *server, const char *name) {
  jack_set_error_function(say_nothing);
  jack_set_info_function(say_nothing);
  struct drawbar_floor_client *client = calloc(1, sizeof *client);
  if (!client) return NULL;
  client->jack = jack_client_open(name, JackNoStartServer | JackServerName, NULL, server);
  if (!client->jack) {
    free(client);
    return NULL;
  }
  jack_set_process_callback(client->jack, drawbar_floor_process, client);
  jack_set_xrun_callback(client->jack, drawbar_floor_count_xrun, client);
  jack_set_thread_init_callback(client->jack, note_thread, client);
  bool is_ready = true;
  for (int port = 0; port < port_count; port++) {
    const char *names[port_count] = {"out_1", "out_2"};
    client->ports[port] = jack_port_register(client->jack, names[port], JACK_DEFAULT_AUDIO_TYPE,
                                             JackPortIsOutput, 0);
    is_ready = is_ready && client->ports[port];
  }
  if (!is_ready || jack_activate(client->jack) != 0) {
    drawbar_floor_close(client);
    return NULL;
  }
  connect_to_playback(client);
  return client;
}

uint32_t drawbar_floor_sample_rate(const struct drawbar_floor_client *client) {
  return jack_get_sample_rate(client->jack);
}

int32_t drawbar_floor_thread(const struct drawbar_floor_client *client) {
  void *process_thread = atomic_load(&client->process_thread);
  for (int index = 0; index < thread_limit; index++) {
    const struct thread *thread = &client->threads[index];
    if (process_thread && atomic_load(&thread->pointer) == process_thread) {
      return atomic_load(&thread->number);
    }
  }
  return 0;
}

bool drawbar_floor_take(struct drawbar_floor_client *client, struct drawbar_floor_cycle *cycle,
                        uint64_t *lost) {
  uint64_t written = atomic_load_explicit(&client->written, memory_order_acquire);
  if (client->taken == written) return false;
  // One slot fewer than there are: the callback may be writing the slot behind the newest.
  if (written - client->taken >= capacity) {
    uint64_t oldest = written - capacity + 1;
    *lost += oldest - client->taken;
    client->taken = oldest;
  }
  *cycle = client->cycles[client->taken % capacity];
  client->taken++;
  return true;
}

void drawbar_floor_close(struct drawbar_floor_client *client) {
  if (!client) return;
  jack_client_close(client->jack);
  free(client);
}
