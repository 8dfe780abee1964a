// SPDX-License-Identifier: MIT
//
// launch DESCRIPTOR PROGRAM ARGUMENT... writes the time in nanoseconds of CLOCK_MONOTONIC to that file descriptor,
// and then executes the program. The program ends with its parent process, even if the parent is killed.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

int main(int count, char **arguments) {
  if (count < 3) return 64;
  const int descriptor = atoi(arguments[1]);
  if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0) return 71;
  // In a session of its own with a terminal, the program would otherwise not be in the foreground.
  if (isatty(0) && ioctl(0, TIOCSCTTY, 0) != 0) return 71;
  struct timespec now;
  char text[32];
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int length =
      snprintf(text, sizeof text, "%lld\n", (long long)now.tv_sec * 1000000000 + now.tv_nsec);
  if (write(descriptor, text, (size_t)length) != length) return 74;
  close(descriptor);
  execvp(arguments[2], arguments + 2);
  perror(arguments[2]);
  return 127;
}
