// SPDX-License-Identifier: MIT
#pragma once
// What Linux lets poll(2) wait for, and Swift's module of the C library leaves out.
#include <sys/eventfd.h>
#include <sys/signalfd.h>
