// SPDX-License-Identifier: MIT
#pragma once
#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>
#include <systemd/sd-bus.h>

// The program does not link libsystemd: it brings five more libraries, a megabyte of memory in all, and a program on
// a machine without a session bus does not need them. It is loaded when there is a bus.

/// The functions that are used.
#define DRAWBAR_SDBUS_FUNCTIONS(function) \
  function(sd_bus_add_object_vtable) \
  function(sd_bus_close_unref) \
  function(sd_bus_emit_properties_changed_strv) \
  function(sd_bus_error_set) \
  function(sd_bus_get_events) \
  function(sd_bus_get_fd) \
  function(sd_bus_get_n_queued_write) \
  function(sd_bus_message_append_basic) \
  function(sd_bus_message_close_container) \
  function(sd_bus_message_get_member) \
  function(sd_bus_message_new_signal) \
  function(sd_bus_message_open_container) \
  function(sd_bus_message_read_basic) \
  function(sd_bus_message_unref) \
  function(sd_bus_negotiate_fds) \
  function(sd_bus_new) \
  function(sd_bus_process) \
  function(sd_bus_reply_method_return) \
  function(sd_bus_request_name_async) \
  function(sd_bus_send) \
  function(sd_bus_set_address) \
  function(sd_bus_set_bus_client) \
  function(sd_bus_set_trusted) \
  function(sd_bus_start)

/// The addresses of the functions in the process, by name, and of the format that a table's first entry refers to.
/// They are never written again.
struct __attribute__((swift_attr("@Sendable"))) drawbar_sdbus {
#define DRAWBAR_FIELD(name) __typeof__(name) *_Nonnull name;
  DRAWBAR_SDBUS_FUNCTIONS(DRAWBAR_FIELD)
#undef DRAWBAR_FIELD
  const unsigned *_Nonnull vtable_format;
};

/// Loads the library for the rest of the process; false if it is missing or older than its header.
static inline bool drawbar_sdbus_load(struct drawbar_sdbus *_Nonnull sdbus) {
  void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
#define DRAWBAR_FIND(name) \
  void *found_##name = dlsym(library, #name); \
  if (!found_##name) return false; \
  sdbus->name = (__typeof__(name) *)found_##name;
  DRAWBAR_SDBUS_FUNCTIONS(DRAWBAR_FIND)
#undef DRAWBAR_FIND
  const unsigned *format = (const unsigned *)dlsym(library, "sd_bus_object_vtable_format");
  if (!format) return false;
  sdbus->vtable_format = format;
  return true;
}

// In C, macros make the entries of an interface's table; Swift cannot use them. The memory that an entry's kind does
// not use must be zero (sd-bus-vtable.h).

/// The first entry.
static inline sd_bus_vtable drawbar_sdbus_start(const struct drawbar_sdbus *_Nonnull sdbus) {
  sd_bus_vtable entry;
  memset(&entry, 0, sizeof entry);
  entry.type = _SD_BUS_VTABLE_START;
  entry.x.start.element_size = sizeof(sd_bus_vtable);
  entry.x.start.features = _SD_BUS_VTABLE_PARAM_NAMES;
  entry.x.start.vtable_format_reference = sdbus->vtable_format;
  return entry;
}

/// The last entry.
static inline sd_bus_vtable drawbar_sdbus_end(void) {
  sd_bus_vtable entry;
  memset(&entry, 0, sizeof entry);
  entry.type = _SD_BUS_VTABLE_END;
  return entry;
}

/// A method without results. All strings must live as long as the table; the arguments' names are each
/// followed by a NUL.
static inline sd_bus_vtable drawbar_sdbus_method(
    const char *_Nonnull member, const char *_Nonnull signature, const char *_Nonnull names,
    sd_bus_message_handler_t _Nonnull handler) {
  sd_bus_vtable entry;
  memset(&entry, 0, sizeof entry);
  entry.type = _SD_BUS_VTABLE_METHOD;
  entry.x.method.member = member;
  entry.x.method.signature = signature;
  entry.x.method.result = "";
  entry.x.method.handler = handler;
  entry.x.method.names = names;
  return entry;
}

/// A signal.
static inline sd_bus_vtable drawbar_sdbus_signal(
    const char *_Nonnull member, const char *_Nonnull signature, const char *_Nonnull names) {
  sd_bus_vtable entry;
  memset(&entry, 0, sizeof entry);
  entry.type = _SD_BUS_VTABLE_SIGNAL;
  entry.x.signal.member = member;
  entry.x.signal.signature = signature;
  entry.x.signal.names = names;
  return entry;
}

/// A property. A settable one has a `set` function.
static inline sd_bus_vtable drawbar_sdbus_property(
    const char *_Nonnull member, const char *_Nonnull signature, bool emits_change,
    sd_bus_property_get_t _Nonnull get, sd_bus_property_set_t _Nullable set) {
  sd_bus_vtable entry;
  memset(&entry, 0, sizeof entry);
  entry.type = set ? _SD_BUS_VTABLE_WRITABLE_PROPERTY : _SD_BUS_VTABLE_PROPERTY;
  entry.flags = emits_change ? SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE : 0;
  entry.x.property.member = member;
  entry.x.property.signature = signature;
  entry.x.property.get = get;
  entry.x.property.set = set;
  return entry;
}

// These are variadic in C, and Swift cannot call them.

/// Answers a call of a method without results.
static inline int drawbar_sdbus_reply(
    const struct drawbar_sdbus *_Nonnull sdbus, sd_bus_message *_Nonnull call) {
  return sdbus->sd_bus_reply_method_return(call, NULL);
}
