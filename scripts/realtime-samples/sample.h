// SPDX-License-Identifier: MIT
// Declarations for the samples that scripts/check-realtime --self-test compiles; never linked.
#pragma once
#include <stddef.h>

typedef int (*process_callback)(unsigned frames, void *context);
int jack_set_process_callback(void *client, process_callback callback, void *context);
void library_function(void);
void drawbar_rest_freewheeling(void);
