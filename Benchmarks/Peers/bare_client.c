// SPDX-License-Identifier: MIT
//
// A minimal MP3 player: libmpg123 and libsoxr fill a ring of a second from the main thread, many packets at a
// time, and the callback copies out of it. No seek, no position, no other format, one file to its end.
// A player's additional cost is its own; this client's additional cost over the empty client is the libraries'.

#include <jack/jack.h>
#include <mpg123.h>
#include <semaphore.h>
#include <signal.h>
#include <soxr.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 2, RING_FRAMES = 1 << 16, FULL_FRAMES = 48000, LOW_FRAMES = 24000, MOST_FRAMES = 8192 };

static float ring[CHANNELS][RING_FRAMES];
// Frames since the start; the difference is in the ring.
static atomic_uint written, played;
static sem_t has_room;
static volatile sig_atomic_t has_ended;
static jack_port_t *ports[CHANNELS];

static int copy_out(jack_nframes_t frames, void *context) {
  (void)context;
  unsigned start = atomic_load_explicit(&played, memory_order_relaxed);
  unsigned held = atomic_load_explicit(&written, memory_order_acquire) - start;
  unsigned given = held < frames ? held : frames;
  unsigned place = start % RING_FRAMES;
  unsigned first = given < RING_FRAMES - place ? given : RING_FRAMES - place;
  for (int channel = 0; channel < CHANNELS; channel++) {
    float *samples = jack_port_get_buffer(ports[channel], frames);
    memcpy(samples, ring[channel] + place, first * sizeof(float));
    memcpy(samples + first, ring[channel], (given - first) * sizeof(float));
    memset(samples + given, 0, (frames - given) * sizeof(float));
  }
  atomic_store_explicit(&played, start + given, memory_order_release);
  if (held >= LOW_FRAMES && held - given < LOW_FRAMES) sem_post(&has_room);
  return 0;
}

static void end(int number) {
  (void)number;
  has_ended = 1;
  sem_post(&has_room);
}

static void fail(const char *what) {
  fprintf(stderr, "bare_client: %s\n", what);
  exit(1);
}

static void store(const float *left, const float *right, size_t frames) {
  unsigned start = atomic_load_explicit(&written, memory_order_relaxed);
  const float *planes[CHANNELS] = {left, right};
  unsigned place = start % RING_FRAMES;
  size_t first = frames < RING_FRAMES - place ? frames : RING_FRAMES - place;
  for (int channel = 0; channel < CHANNELS; channel++) {
    memcpy(ring[channel] + place, planes[channel], first * sizeof(float));
    memcpy(ring[channel], planes[channel] + first, (frames - first) * sizeof(float));
  }
  atomic_store_explicit(&written, start + (unsigned)frames, memory_order_release);
}

// Decodes one packet into the ring; false at the end.
static bool decode(mpg123_handle *decoder, soxr_t resampler) {
  static float planes[CHANNELS][MOST_FRAMES];
  off_t number;
  unsigned char *bytes;
  size_t count, frames;
  int status = mpg123_decode_frame(decoder, &number, &bytes, &count);
  if (status == MPG123_NEW_FORMAT) return true;
  if (status != MPG123_OK) return false;
  frames = count / (CHANNELS * sizeof(float));
  if (resampler != NULL) {
    size_t given;
    soxr_process(resampler, bytes, frames, NULL, (float *[]){planes[0], planes[1]}, MOST_FRAMES, &given);
    frames = given;
  } else {
    const float *samples = (const float *)(const void *)bytes;
    for (size_t frame = 0; frame < frames; frame++) {
      for (int channel = 0; channel < CHANNELS; channel++) {
        planes[channel][frame] = samples[CHANNELS * frame + channel];
      }
    }
  }
  store(planes[0], planes[1], frames);
  return true;
}

int main(int count, char **arguments) {
  if (count != 2) fail("usage: bare_client FILE");
  sem_init(&has_room, 0, 0);
  struct sigaction action = {.sa_handler = end};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);

  long rate;
  int channels, encoding;
  mpg123_init();
  mpg123_handle *decoder = mpg123_new(NULL, NULL);
  mpg123_param(decoder, MPG123_ADD_FLAGS, MPG123_FORCE_FLOAT | MPG123_FORCE_STEREO | MPG123_QUIET, 0);
  if (mpg123_open(decoder, arguments[1]) != MPG123_OK
      || mpg123_getformat(decoder, &rate, &channels, &encoding) != MPG123_OK) fail("this is no MP3");

  jack_client_t *client = jack_client_open("bare", JackNoStartServer, NULL);
  if (client == NULL) fail("there is no server");
  soxr_t resampler = NULL;
  if (rate != (long)jack_get_sample_rate(client)) {
    soxr_io_spec_t layout = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_S);
    soxr_quality_spec_t quality = soxr_quality_spec(SOXR_HQ, 0);
    resampler = soxr_create((double)rate, jack_get_sample_rate(client), CHANNELS, NULL, &layout, &quality, NULL);
    if (resampler == NULL) fail("no resampler");
  }
  const char *names[CHANNELS] = {"out_1", "out_2"};
  for (int port = 0; port < CHANNELS; port++) {
    ports[port] = jack_port_register(client, names[port], JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    if (ports[port] == NULL) fail("no port");
  }
  jack_set_process_callback(client, copy_out, NULL);
  if (jack_activate(client) != 0) fail("not activated");
  const char *targets[CHANNELS] = {"system:playback_1", "system:playback_2"};
  for (int port = 0; port < CHANNELS; port++) {
    if (jack_connect(client, jack_port_name(ports[port]), targets[port]) != 0) fail("not connected");
  }

  bool goes_on = true;
  while (!has_ended) {
    unsigned held = atomic_load(&written) - atomic_load_explicit(&played, memory_order_acquire);
    if (goes_on && held < FULL_FRAMES) {
      goes_on = decode(decoder, resampler);
    } else {
      sem_wait(&has_room);
    }
  }
  jack_client_close(client);
  return 0;
}
