// SPDX-License-Identifier: MIT

#include "CBuild.h"

#ifndef DRAWBAR_COMMIT
#define DRAWBAR_COMMIT ""
#endif

const char *drawbar_commit(void) { return DRAWBAR_COMMIT; }
