// SPDX-License-Identifier: MIT
#pragma once
#include <FLAC/stream_decoder.h>

// Vouched for on the render thread.
