// SPDX-License-Identifier: MIT
#pragma once
// What Swift's module of the C library leaves out: what Linux lets poll(2) wait for, and how it allocates.
#include <malloc.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
