// SPDX-License-Identifier: MIT
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct {
  const uint8_t *bytes;
  size_t count;
  /// Frames of sound, by the container.
  size_t frames;
} bare_packet;
