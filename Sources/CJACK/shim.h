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

/// read(2) as the kernel counts its calls.
static const long cjack_read_number = SYS_read;

/// `jack_client_open` is variadic in C, which Swift cannot call.
static inline jack_client_t *cjack_client_open(
    const char *name, jack_options_t options, jack_status_t *status, const char *server) {
  return server
             ? jack_client_open(name, (jack_options_t)(options | JackServerName), status, server)
             : jack_client_open(name, options, status);
}

// Vouched for on the render thread: JACK documents each as callable from the process callback.

/// The memory of one port for this cycle.
__attribute__((swift_attr("@_noLocks")))
void *jack_port_get_buffer(jack_port_t *port, jack_nframes_t frames);

/// The frame time of the start of this cycle.
__attribute__((swift_attr("@_noLocks")))
jack_nframes_t jack_last_frame_time(const jack_client_t *client);

/// Frames since the server began this cycle, by its clock.
__attribute__((swift_attr("@_noLocks")))
jack_nframes_t jack_frames_since_cycle_start(const jack_client_t *client);

/// How many connections a port has in this cycle. Of jack2 only, which reads that in shared memory and waits
/// for no change under way on the process thread; others take a lock.
__attribute__((swift_attr("@_noLocks")))
int jack_port_connected(const jack_port_t *port);

/// Microseconds on the server's own clock.
__attribute__((swift_attr("@_noLocks")))
jack_time_t jack_get_time(void);

/// Where the server's transport is in this cycle; nothing of it but the frame, and whether it rolls.
__attribute__((swift_attr("@_noLocks")))
static inline bool cjack_transport(const jack_client_t *client, jack_nframes_t *frame) {
  jack_position_t position;
  const jack_transport_state_t state = jack_transport_query(client, &position);
  *frame = position.frame;
  return state == JackTransportRolling || state == JackTransportLooping;
}

/// The frame that a transport is at (`jack_position_t` is packed, which Swift does not read).
__attribute__((swift_attr("@_noLocks")))
static inline jack_nframes_t cjack_position_frame(const jack_position_t *position) {
  return position->frame;
}

/// A number of the calling thread, different from that of any other that lives: its thread pointer, a
/// register.
__attribute__((swift_attr("@_noLocks")))
static inline uintptr_t cjack_current_thread(void) { return (uintptr_t)__builtin_thread_pointer(); }

// Declared by glibc for _GNU_SOURCE only, which Swift's Glibc module does not define.

/// `sem_timedwait` by a clock of choice (glibc 2.30).
int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *deadline);

/// A stream over functions (fopencookie(3)).
FILE *fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions);

/// Makes a function what stdio's `stderr` writes to, line by line. False where there is no memory for it.
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
