// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>
#include <stdint.h>

// A minimal JACK client: a plain C program with two output ports and a callback that writes silence. It is the
// baseline for the cost and the lateness of a callback, and uses no code of Drawbar.

/// One call of the callback.
struct drawbar_floor_cycle {
  /// Time of entry, in nanoseconds of CLOCK_MONOTONIC_RAW.
  uint64_t entry_nanoseconds;
  uint64_t duration_nanoseconds;
  /// The server's frame clock at the cycle's start.
  uint32_t frame_time;
  uint32_t frame_count;
  /// Frames from the start of the server's cycle to the entry.
  uint32_t wake_frames;
  /// Xruns that the server has reported so far.
  uint32_t xruns;
};

struct drawbar_floor_client;

/// Opens a client, starts it, and connects it to the physical playback ports.
///
/// - Parameters:
///   - server: the server's name.
///   - name: the client's own name.
/// - Returns: the client, to be closed with ``drawbar_floor_close``; NULL when the server does not answer.
struct drawbar_floor_client *drawbar_floor_open(const char *server, const char *name);

/// The server's frames per second.
uint32_t drawbar_floor_sample_rate(const struct drawbar_floor_client *client);

/// The kernel's number of the callback's thread; 0 before the first cycle.
int32_t drawbar_floor_thread(const struct drawbar_floor_client *client);

/// Takes the oldest cycle that was not taken yet. One thread at a time.
///
/// - Parameter lost: counts cycles that were overwritten before they were taken.
/// - Returns: whether there was one.
bool drawbar_floor_take(struct drawbar_floor_client *client, struct drawbar_floor_cycle *cycle,
                        uint64_t *lost);

/// Closes the client and frees it.
void drawbar_floor_close(struct drawbar_floor_client *client);
