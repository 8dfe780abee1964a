// SPDX-License-Identifier: MIT
#pragma once
#include <opus/opus.h>
#include <opus/opus_multistream.h>

// Vouched for on the render thread.
