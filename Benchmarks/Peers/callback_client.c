// SPDX-License-Identifier: MIT
//
// A minimal client that decodes an MP3 in its callback: libmpg123 and libsoxr process one packet when it is needed.
// No seek, no position, no other format, one file to its end, which is read to memory first. At its end it prints the
// callbacks' durations.

#include <jack/jack.h>
#include <mpg123.h>
#include <semaphore.h>
#include <signal.h>
#include <soxr.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { CHANNELS = 2, PACKET_FRAMES = 1152, MOST_FRAMES = 8192, MOST_CYCLES = 1 << 20 };

static unsigned char *file;
static size_t file_size, file_place;
static mpg123_handle *decoder;
static soxr_t resampler;
static float decoded_left[PACKET_FRAMES], decoded_right[PACKET_FRAMES];
// Resampled frames that wait for a cycle.
static float waiting[CHANNELS][MOST_FRAMES];
static size_t waiting_from, waiting_count;
static jack_port_t *ports[CHANNELS];
static sem_t has_ended;
static double ratio = 1;
// The callbacks' durations in nanoseconds.
static unsigned durations[MOST_CYCLES];
static unsigned cycles;

static ssize_t read_file(void *handle, void *buffer, size_t count) {
  (void)handle;
  size_t left = file_size - file_place;
  if (count > left) count = left;
  memcpy(buffer, file + file_place, count);
  file_place += count;
  return (ssize_t)count;
}

static off_t seek_file(void *handle, off_t offset, int whence) {
  (void)handle;
  (void)offset;
  (void)whence;
  return -1;
}

static void decode_packet(void) {
  off_t number;
  unsigned char *bytes;
  size_t size = 0;
  int status = mpg123_decode_frame(decoder, &number, &bytes, &size);
  if (status == MPG123_NEW_FORMAT) status = mpg123_decode_frame(decoder, &number, &bytes, &size);
  if (status != MPG123_OK) {
    sem_post(&has_ended);
    return;
  }
  const float *samples = (const float *)bytes;
  size_t frames = size / (CHANNELS * sizeof(float));
  for (size_t frame = 0; frame < frames; frame++) {
    decoded_left[frame] = samples[CHANNELS * frame];
    decoded_right[frame] = samples[CHANNELS * frame + 1];
  }
  waiting_from = 0;
  if (ratio == 1) {
    memcpy(waiting[0], decoded_left, frames * sizeof(float));
    memcpy(waiting[1], decoded_right, frames * sizeof(float));
    waiting_count = frames;
    return;
  }
  const float *inputs[CHANNELS] = {decoded_left, decoded_right};
  float *outputs[CHANNELS] = {waiting[0], waiting[1]};
  size_t taken = 0;
  soxr_process(resampler, inputs, frames, &taken, outputs, MOST_FRAMES, &waiting_count);
}

static void fill(jack_nframes_t frames) {
  float *outputs[CHANNELS];
  for (int channel = 0; channel < CHANNELS; channel++) {
    outputs[channel] = jack_port_get_buffer(ports[channel], frames);
  }
  jack_nframes_t done = 0;
  for (int tries = 0; done < frames && tries < 64; tries++) {
    if (waiting_count == 0) decode_packet();
    size_t piece = frames - done < waiting_count ? frames - done : waiting_count;
    for (int channel = 0; channel < CHANNELS; channel++) {
      memcpy(outputs[channel] + done, waiting[channel] + waiting_from, piece * sizeof(float));
    }
    waiting_from += piece;
    waiting_count -= piece;
    done += piece;
  }
  for (int channel = 0; channel < CHANNELS; channel++) {
    memset(outputs[channel] + done, 0, (frames - done) * sizeof(float));
  }
}

static unsigned long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (unsigned long long)time.tv_sec * 1000000000 + (unsigned long long)time.tv_nsec;
}

static int process(jack_nframes_t frames, void *context) {
  (void)context;
  unsigned long long start = now();
  fill(frames);
  if (cycles < MOST_CYCLES) durations[cycles++] = (unsigned)(now() - start);
  return 0;
}

static int compare(const void *one, const void *other) {
  unsigned a = *(const unsigned *)one, b = *(const unsigned *)other;
  return (a > b) - (a < b);
}

static void report(void) {
  if (cycles == 0) return;
  qsort(durations, cycles, sizeof *durations, compare);
  printf("callback_client: %u callbacks, p50 %.1f us, p99.9 %.1f, longest %.1f\n", cycles, durations[cycles / 2] / 1e3,
         durations[(size_t)cycles * 999 / 1000] / 1e3, durations[cycles - 1] / 1e3);
}

static void end(int number) {
  (void)number;
  sem_post(&has_ended);
}

static void fail(const char *what) {
  fprintf(stderr, "callback_client: %s\n", what);
  exit(1);
}

int main(int argc, char **argv) {
  if (argc != 2) fail("usage: callback_client FILE");
  FILE *input = fopen(argv[1], "rb");
  if (!input) fail("the file cannot be read");
  fseek(input, 0, SEEK_END);
  file_size = (size_t)ftell(input);
  rewind(input);
  file = malloc(file_size);
  if (!file || fread(file, 1, file_size, input) != file_size) fail("the file cannot be read");
  fclose(input);
  signal(SIGINT, end);
  signal(SIGTERM, end);
  mpg123_init();
  decoder = mpg123_new(NULL, NULL);
  mpg123_param(decoder, MPG123_ADD_FLAGS, MPG123_FORCE_FLOAT | MPG123_QUIET | MPG123_NO_READAHEAD, 0);
  mpg123_replace_reader_handle(decoder, read_file, seek_file, NULL);
  if (mpg123_open_handle(decoder, NULL) != MPG123_OK) fail("the file cannot be opened");
  long rate;
  int channels, encoding;
  if (mpg123_getformat(decoder, &rate, &channels, &encoding) != MPG123_OK || channels != CHANNELS) {
    fail("not an MP3 with two channels");
  }
  mlockall(MCL_CURRENT | MCL_FUTURE);
  sem_init(&has_ended, 0, 0);
  jack_client_t *client = jack_client_open("callback_client", JackNoStartServer, NULL);
  if (!client) fail("no JACK server");
  ratio = (double)jack_get_sample_rate(client) / (double)rate;
  if (ratio != 1) {
    soxr_io_spec_t io = soxr_io_spec(SOXR_FLOAT32_S, SOXR_FLOAT32_S);
    soxr_quality_spec_t quality = soxr_quality_spec(SOXR_HQ, 0);
    resampler = soxr_create(rate, jack_get_sample_rate(client), CHANNELS, NULL, &io, &quality, NULL);
    if (!resampler) fail("no resampler");
  }
  for (int channel = 0; channel < CHANNELS; channel++) {
    char name[16];
    snprintf(name, sizeof name, "out_%d", channel + 1);
    ports[channel] = jack_port_register(client, name, JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    if (!ports[channel]) fail("no port");
  }
  decode_packet();
  jack_set_process_callback(client, process, NULL);
  if (jack_activate(client)) fail("the client cannot be activated");
  for (int channel = 0; channel < CHANNELS; channel++) {
    char target[64];
    snprintf(target, sizeof target, "system:playback_%d", channel + 1);
    jack_connect(client, jack_port_name(ports[channel]), target);
  }
  while (sem_wait(&has_ended) != 0) continue;
  jack_client_close(client);
  report();
  return 0;
}
