// SPDX-License-Identifier: MIT
#pragma once
#include <libavcodec/avcodec.h>
#include <libavutil/channel_layout.h>
#include <libavutil/error.h>

// Nothing of it is vouched for: libavcodec allocates and locks with every packet, so that it decodes
// ahead, on the feeder's thread.
