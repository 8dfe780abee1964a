// SPDX-License-Identifier: MIT
//
// The floor: a JACK client that only writes a constant to two ports, connected to the playback ports of the
// server. A player's additional cost is its own.

#include <jack/jack.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static jack_port_t *ports[2];

static int write_constant(jack_nframes_t frames, void *context) {
  (void)context;
  for (int port = 0; port < 2; port++) {
    float *samples = jack_port_get_buffer(ports[port], frames);
    for (jack_nframes_t frame = 0; frame < frames; frame++) samples[frame] = 0.25f;
  }
  return 0;
}

static void fail(const char *what) {
  fprintf(stderr, "empty_client: %s\n", what);
  exit(1);
}

int main(void) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  sigprocmask(SIG_BLOCK, &ends, NULL);

  jack_client_t *client = jack_client_open("empty", JackNoStartServer, NULL);
  if (client == NULL) fail("there is no server");
  const char *names[2] = {"out_1", "out_2"};
  for (int port = 0; port < 2; port++) {
    ports[port] = jack_port_register(client, names[port], JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    if (ports[port] == NULL) fail("no port");
  }
  jack_set_process_callback(client, write_constant, NULL);
  if (jack_activate(client) != 0) fail("not activated");
  const char *targets[2] = {"system:playback_1", "system:playback_2"};
  for (int port = 0; port < 2; port++) {
    if (jack_connect(client, jack_port_name(ports[port]), targets[port]) != 0) fail("not connected");
  }
  int signal_number;
  sigwait(&ends, &signal_number);
  jack_client_close(client);
  return 0;
}
