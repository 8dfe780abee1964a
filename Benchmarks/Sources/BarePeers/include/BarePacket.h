// SPDX-License-Identifier: MIT
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct {
  const uint8_t *bytes;
  size_t count;
  /// Frames of sound, as the container says.
  size_t frames;
} bare_packet;
