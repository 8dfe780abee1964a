// SPDX-License-Identifier: MIT
//
// Records the output of the server's dummy driver from its monitor ports, and reports the start of sound.
//
// It also plays silence, because the driver does not clear the monitor of an unconnected playback port.
//
// usage: recorder SECONDS        the most that is kept of a recording
//
// Commands, a line each, on the standard input; each is answered by a line:
//   record        start a recording                       -> recording
//   count         cycles and xruns so far                  -> count CYCLES XRUNS
//   silence       wait for a tenth of a second without sound -> silent
//   leave         play no part in the graph             -> left
//   return        play it again                         -> returned
//   stop FILE     end the recording and write it: 32-bit floats, all of the left channel. Frames that
//                 this client itself missed are listed in FILE.lost, by their index in the file.
//                                                         -> stopped FRAMES
// Unsolicited lines while recording, with a time in nanoseconds of CLOCK_MONOTONIC:
//   sound TIME    the first sample above -60 dBFS in either channel
//   loud TIME     the first sample above -6 dBFS in the left channel

#include <jack/jack.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most_losses = 4096 };

static const float sound_level = 0.001f;
static const float loud_level = 0.5f;

static jack_port_t *ports[2], *silent_ports[2];
static float *samples;
static size_t capacity;
static double nanoseconds_per_frame;

// Owned by the callback between `record` and `stop`, as shown by `is_recording`.
static size_t recorded;
static size_t losses[most_losses];
static size_t loss_count;
static bool has_sound, is_loud;
static jack_nframes_t expected_frame;
static bool expects_frame;

static atomic_bool is_recording, is_idle = true;
static atomic_llong sound_time, loud_time, last_sound_time;
static atomic_ulong cycles, xruns;
static sem_t news;

static long long now_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

// The first frame whose sample in `channel` is above the level, or `frames`.
static jack_nframes_t first_above(float level, const float *channel, jack_nframes_t frames) {
  jack_nframes_t frame = 0;
  while (frame < frames && fabsf(channel[frame]) <= level) frame++;
  return frame;
}

static int record_cycle(jack_nframes_t frames, void *client) {
  const long long now = now_time();
  atomic_fetch_add(&cycles, 1);
  const jack_nframes_t start = jack_last_frame_time(client);
  const bool is_lossy = expects_frame && start != expected_frame;
  expected_frame = start + frames;
  expects_frame = true;
  for (int port = 0; port < 2; port++) {
    memset(jack_port_get_buffer(silent_ports[port], frames), 0, frames * sizeof(float));
  }
  const float *left = jack_port_get_buffer(ports[0], frames);
  const float *right = jack_port_get_buffer(ports[1], frames);
  const jack_nframes_t first_left = first_above(sound_level, left, frames);
  const jack_nframes_t first_right = first_above(sound_level, right, frames);
  const jack_nframes_t first_sound = first_left < first_right ? first_left : first_right;
  if (first_sound < frames) atomic_store(&last_sound_time, now);
  if (!atomic_load(&is_recording)) {
    atomic_store(&is_idle, true);
    return 0;
  }
  atomic_store(&is_idle, false);
  if (is_lossy && loss_count < most_losses) losses[loss_count++] = recorded;
  if (recorded + frames <= capacity) {
    memcpy(samples + recorded, left, frames * sizeof *samples);
    recorded += frames;
  }
  if (!has_sound && first_sound < frames) {
    has_sound = true;
    atomic_store(&sound_time, now + (long long)(first_sound * nanoseconds_per_frame));
    sem_post(&news);
  }
  if (!is_loud) {
    const jack_nframes_t first = first_above(loud_level, left, frames);
    if (first < frames) {
      is_loud = true;
      atomic_store(&loud_time, now + (long long)(first * nanoseconds_per_frame));
      sem_post(&news);
    }
  }
  return 0;
}

static int count_xrun(void *context) {
  (void)context;
  atomic_fetch_add(&xruns, 1);
  return 0;
}

static void *tell_news(void *context) {
  (void)context;
  while (sem_wait(&news) == 0) {
    const long long sound = atomic_exchange(&sound_time, 0);
    if (sound != 0) printf("sound %lld\n", sound);
    const long long loud = atomic_exchange(&loud_time, 0);
    if (loud != 0) printf("loud %lld\n", loud);
    fflush(stdout);
  }
  return NULL;
}

static void fail(const char *what) {
  fprintf(stderr, "recorder: %s\n", what);
  exit(1);
}

static void write_recording(const char *path) {
  char losses_path[4096];
  snprintf(losses_path, sizeof losses_path, "%s.lost", path);
  FILE *file = fopen(path, "wb");
  FILE *list = fopen(losses_path, "w");
  if (file == NULL || list == NULL) fail("the recording cannot be written");
  if (fwrite(samples, sizeof *samples, recorded, file) != recorded) fail("the disk is full");
  for (size_t index = 0; index < loss_count; index++) fprintf(list, "%zu\n", losses[index]);
  if (fclose(file) != 0 || fclose(list) != 0) fail("the disk is full");
}

static void pause_briefly(void) { nanosleep(&(struct timespec){0, 1000000}, NULL); }

static void wait_for_silence(void) {
  while (now_time() - atomic_load(&last_sound_time) < 100000000) pause_briefly();
}

static void start_recording(void) {
  recorded = loss_count = 0;
  has_sound = is_loud = false;
  atomic_store(&sound_time, 0);
  atomic_store(&loud_time, 0);
  atomic_store(&is_recording, true);
}

static void stop_recording(void) {
  atomic_store(&is_recording, false);
  // Wait until the callback no longer uses the recording.
  while (!atomic_load(&is_idle)) pause_briefly();
}

// Starts the callback and connects the ports, which deactivating has disconnected.
static void join(jack_client_t *client) {
  const char *sources[2] = {"system:monitor_1", "system:monitor_2"};
  const char *targets[2] = {"system:playback_1", "system:playback_2"};
  if (jack_activate(client) != 0) fail("not activated");
  for (int port = 0; port < 2; port++) {
    if (jack_connect(client, sources[port], jack_port_name(ports[port])) != 0 ||
        jack_connect(client, jack_port_name(silent_ports[port]), targets[port]) != 0) {
      fail("not connected");
    }
  }
}

int main(int count, char **arguments) {
  if (count != 2) return 64;
  jack_client_t *client = jack_client_open("recorder", JackNoStartServer, NULL);
  if (client == NULL) fail("there is no server");
  const double rate = jack_get_sample_rate(client);
  nanoseconds_per_frame = 1e9 / rate;
  capacity = (size_t)(atof(arguments[1]) * rate);
  samples = malloc(capacity * sizeof *samples);
  if (samples == NULL) fail("out of memory");
  memset(samples, 0, capacity * sizeof *samples);
  sem_init(&news, 0, 0);
  pthread_t teller;
  if (pthread_create(&teller, NULL, tell_news, NULL) != 0) fail("no thread");

  const char *names[2] = {"in_1", "in_2"}, *silent_names[2] = {"silence_1", "silence_2"};
  for (int port = 0; port < 2; port++) {
    ports[port] = jack_port_register(client, names[port], JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
    silent_ports[port] =
        jack_port_register(client, silent_names[port], JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    if (ports[port] == NULL || silent_ports[port] == NULL) fail("no port");
  }
  jack_set_process_callback(client, record_cycle, client);
  jack_set_xrun_callback(client, count_xrun, NULL);
  join(client);
  printf("ready\n");
  fflush(stdout);

  char line[4096];
  while (fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    if (strcmp(line, "record") == 0) {
      start_recording();
      printf("recording\n");
    } else if (strcmp(line, "count") == 0) {
      printf("count %lu %lu\n", atomic_load(&cycles), atomic_load(&xruns));
    } else if (strcmp(line, "silence") == 0) {
      wait_for_silence();
      printf("silent\n");
    } else if (strcmp(line, "leave") == 0) {
      if (jack_deactivate(client) != 0) fail("not deactivated");
      printf("left\n");
    } else if (strcmp(line, "return") == 0) {
      expects_frame = false;
      join(client);
      printf("returned\n");
    } else if (strncmp(line, "stop ", 5) == 0) {
      stop_recording();
      write_recording(line + 5);
      printf("stopped %zu\n", recorded);
    } else {
      fail("no such command");
    }
    fflush(stdout);
  }
  jack_client_close(client);
  return 0;
}
