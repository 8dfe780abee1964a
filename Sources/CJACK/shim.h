// SPDX-License-Identifier: MIT
#pragma once
#include <jack/jack.h>
#include <jack/metadata.h>
#include <jack/statistics.h>
#include <jack/thread.h>
#include <jack/transport.h>
#include <jack/uuid.h>
#include <bits/types/cookie_io_functions_t.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>

/// The kernel's number of the system call read(2).
static const long cjack_read_number = SYS_read;

/// Opens a client. `jack_client_open` is variadic in C, and Swift cannot call it.
static inline jack_client_t *cjack_client_open(
    const char *name, jack_options_t options, jack_status_t *status, const char *server) {
  return server
             ? jack_client_open(name, (jack_options_t)(options | JackServerName), status, server)
             : jack_client_open(name, options, status);
}

// Verified for the render thread: JACK documents each as callable from the process callback.

/// The memory of one port for this cycle.
__attribute__((swift_attr("@_noLocks")))
void *jack_port_get_buffer(jack_port_t *port, jack_nframes_t frames);

/// The frame time of the start of this cycle.
__attribute__((swift_attr("@_noLocks")))
jack_nframes_t jack_last_frame_time(const jack_client_t *client);

/// Frames since the server began this cycle, by its clock.
__attribute__((swift_attr("@_noLocks")))
jack_nframes_t jack_frames_since_cycle_start(const jack_client_t *client);

/// The number of a port's connections in this cycle. jack2 only: it reads the number in shared memory, and on the
/// process thread it does not wait for a change in progress. Other implementations take a lock.
__attribute__((swift_attr("@_noLocks")))
int jack_port_connected(const jack_port_t *port);

/// Microseconds on the server's own clock.
__attribute__((swift_attr("@_noLocks")))
jack_time_t jack_get_time(void);

/// Reads the frame of the server's transport in this cycle, and returns whether the transport rolls.
__attribute__((swift_attr("@_noLocks")))
static inline bool cjack_transport(const jack_client_t *client, jack_nframes_t *frame) {
  jack_position_t position;
  const jack_transport_state_t state = jack_transport_query(client, &position);
  *frame = position.frame;
  return state == JackTransportRolling || state == JackTransportLooping;
}

/// The frame of a transport position (`jack_position_t` is packed, which Swift does not read).
__attribute__((swift_attr("@_noLocks")))
static inline jack_nframes_t cjack_position_frame(const jack_position_t *position) {
  return position->frame;
}

/// A number that identifies the calling thread among all live threads: its thread pointer, read from a register.
__attribute__((swift_attr("@_noLocks")))
static inline uintptr_t cjack_current_thread(void) { return (uintptr_t)__builtin_thread_pointer(); }

// Declared by glibc for _GNU_SOURCE only, which Swift's Glibc module does not define.

/// `sem_timedwait` by a clock of choice (glibc 2.30).
int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *deadline);

/// Opens a stdio stream over functions (fopencookie(3)).
FILE *fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions);

/// Makes stdio's `stderr` write to a function, line by line. False if there is no memory for it.
static inline bool cjack_redirect_stderr(cookie_write_function_t *write) {
  FILE *stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write});
  if (!stream) return false;
  setvbuf(stream, NULL, _IOLBF, BUFSIZ);
  stderr = stream;
  return true;
}

extern char *program_invocation_short_name;

/// The program's name, without its folder (program_invocation_name(3)).
static inline const char *_Nonnull cjack_program_name(void) { return program_invocation_short_name; }

/// The kernel's number of the calling thread (gettid(2)).
pid_t gettid(void);
