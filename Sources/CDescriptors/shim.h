// SPDX-License-Identifier: MIT
#pragma once
// Linux headers that Swift's module of the C library leaves out: descriptors for poll(2), and mallopt(3).
#include <malloc.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
