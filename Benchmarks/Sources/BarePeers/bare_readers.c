// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#define MPG123_NO_LARGENAME
#define MPG123_ENUM_API
#include "BarePeers.h"

#include <fcntl.h>
#include <mpg123.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

extern char **environ;

long bare_scan(const char *path) {
  mpg123_handle *handle = mpg123_new(NULL, NULL);
  if (handle == NULL) return -1;
  mpg123_param(handle, MPG123_ADD_FLAGS, MPG123_QUIET, 0);
  long frames = -1;
  if (mpg123_open(handle, path) == MPG123_OK && mpg123_scan(handle) == MPG123_OK) {
    frames = (long)(mpg123_length(handle));
  }
  mpg123_delete(handle);
  return frames;
}

static uint64_t nanoseconds(struct timeval time) {
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

uint64_t bare_demux_nanoseconds(const char *path) {
  const char *const arguments[] = {"ffmpeg", "-nostdin", "-v", "error", "-i",   path, "-map",
                                   "0:a:0",  "-c",       "copy", "-f", "null", "-",  NULL};
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return 0;
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child;
  int error =
      posix_spawnp(&child, "ffmpeg", &actions, NULL, (char *const *)(uintptr_t)arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return 0;
  struct rusage usage;
  int status;
  if (wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return 0;
  }
  return nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
}
