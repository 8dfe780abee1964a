// SPDX-License-Identifier: MIT
#include "CRealtimeScope.h"

#ifdef DRAWBAR_RTSAN

void __rtsan_realtime_enter(void);
void __rtsan_realtime_exit(void);

void drawbar_realtime_enter(void) { __rtsan_realtime_enter(); }
void drawbar_realtime_exit(void) { __rtsan_realtime_exit(); }
int drawbar_realtime_is_checked(void) { return 1; }

#else

void drawbar_realtime_enter(void) {}
void drawbar_realtime_exit(void) {}
int drawbar_realtime_is_checked(void) { return 0; }

#endif
