// SPDX-License-Identifier: MIT
#pragma once
#include <dlfcn.h>
#include <lo/lo.h>
#include <stdbool.h>

// The program does not link liblo. It is loaded when there is a session manager to talk to.

/// The functions that are used.
#define DRAWBAR_LO_FUNCTIONS(function) \
  function(lo_address_free) \
  function(lo_address_get_hostname) \
  function(lo_address_get_port) \
  function(lo_address_new) \
  function(lo_message_add_int32) \
  function(lo_message_add_string) \
  function(lo_message_free) \
  function(lo_message_get_source) \
  function(lo_message_new) \
  function(lo_send_message_from) \
  function(lo_server_add_method) \
  function(lo_server_enable_queue) \
  function(lo_server_free) \
  function(lo_server_get_port) \
  function(lo_server_get_socket_fd) \
  function(lo_server_new) \
  function(lo_server_recv_noblock)

/// The addresses of the functions in the process, by name. They are never written again.
struct __attribute__((swift_attr("@Sendable"))) drawbar_lo {
#define DRAWBAR_FIELD(name) __typeof__(name) *_Nonnull name;
  DRAWBAR_LO_FUNCTIONS(DRAWBAR_FIELD)
#undef DRAWBAR_FIELD
};

/// Loads the library for the rest of the process; false if it is missing or older than its header.
static inline bool drawbar_lo_load(struct drawbar_lo *_Nonnull lo) {
  void *library = dlopen("liblo.so.7", RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
#define DRAWBAR_FIND(name) \
  void *found_##name = dlsym(library, #name); \
  if (!found_##name) return false; \
  lo->name = (__typeof__(name) *)found_##name;
  DRAWBAR_LO_FUNCTIONS(DRAWBAR_FIND)
#undef DRAWBAR_FIND
  return true;
}
