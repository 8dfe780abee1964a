// SPDX-License-Identifier: MIT
#pragma once
// libcurl's macros would check the types of the table's variadics, which the functions below fix.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

// The program does not link libcurl: it brings some thirty libraries and several megabytes of memory, and a program
// that plays a file does not need them. It is loaded for the first URL.

/// The functions that are used.
#define DRAWBAR_CURL_FUNCTIONS(function) \
  function(curl_easy_cleanup) \
  function(curl_easy_getinfo) \
  function(curl_easy_init) \
  function(curl_easy_pause) \
  function(curl_easy_setopt) \
  function(curl_easy_strerror) \
  function(curl_free) \
  function(curl_global_init) \
  function(curl_multi_add_handle) \
  function(curl_multi_cleanup) \
  function(curl_multi_info_read) \
  function(curl_multi_init) \
  function(curl_multi_perform) \
  function(curl_multi_poll) \
  function(curl_multi_remove_handle) \
  function(curl_multi_strerror) \
  function(curl_share_cleanup) \
  function(curl_share_init) \
  function(curl_share_setopt) \
  function(curl_slist_append) \
  function(curl_slist_free_all) \
  function(curl_url) \
  function(curl_url_cleanup) \
  function(curl_url_get) \
  function(curl_url_set)

/// The addresses of the functions in the process, by name. They are never written again.
struct __attribute__((swift_attr("@Sendable"))) drawbar_curl {
#define DRAWBAR_FIELD(name) __typeof__(name) *_Nonnull name;
  DRAWBAR_CURL_FUNCTIONS(DRAWBAR_FIELD)
#undef DRAWBAR_FIELD
};

/// Loads the library for the rest of the process; false if it is missing or older than its header.
static inline bool drawbar_curl_load(struct drawbar_curl *_Nonnull curl) {
  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  // Debian's file name for the library built with GnuTLS.
  if (!library) library = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
#define DRAWBAR_FIND(name) \
  void *found_##name = dlsym(library, #name); \
  if (!found_##name) return false; \
  curl->name = (__typeof__(name) *)found_##name;
  DRAWBAR_CURL_FUNCTIONS(DRAWBAR_FIND)
#undef DRAWBAR_FIND
  return true;
}

// curl_easy_setopt and curl_easy_getinfo are C variadics, which Swift cannot call. Each function
// below fixes the type of the one argument, so that a value of the wrong width does not compile.
// They see no target's defines: the importing target compiles a header's inline code.

/// Sets an option that takes a `long`.
static inline CURLcode drawbar_curl_set_long(
    struct drawbar_curl curl, CURL *easy, CURLoption option, long value) {
  return curl.curl_easy_setopt(easy, option, value);
}

/// Sets an option that takes a string, which libcurl copies.
static inline CURLcode drawbar_curl_set_string(
    struct drawbar_curl curl, CURL *easy, CURLoption option, const char *value) {
  return curl.curl_easy_setopt(easy, option, value);
}

/// Sets an option that takes a pointer, which must live as long as the handle uses it.
static inline CURLcode drawbar_curl_set_pointer(
    struct drawbar_curl curl, CURL *easy, CURLoption option, void *value) {
  return curl.curl_easy_setopt(easy, option, value);
}

/// Sets an option that takes a list, which libcurl does not copy.
static inline CURLcode drawbar_curl_set_list(
    struct drawbar_curl curl, CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl.curl_easy_setopt(easy, option, value);
}

/// Sets the function that receives the body, and the pointer it is called with.
static inline CURLcode drawbar_curl_set_body_function(
    struct drawbar_curl curl, CURL *easy, curl_write_callback function, void *context) {
  CURLcode code = curl.curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, function);
  return code != CURLE_OK ? code : curl.curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
}

/// Sets the function that receives each header line, and the pointer it is called with.
static inline CURLcode drawbar_curl_set_header_function(
    struct drawbar_curl curl, CURL *easy, curl_write_callback function, void *context) {
  CURLcode code = curl.curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, function);
  return code != CURLE_OK ? code : curl.curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
}

/// Sets the function that libcurl calls when a connection is ready for the request, and the pointer it is called
/// with.
static inline CURLcode drawbar_curl_set_prerequest_function(
    struct drawbar_curl curl, CURL *easy, curl_prereq_callback function, void *context) {
  CURLcode code = curl.curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
  return code != CURLE_OK ? code : curl.curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
}

static pthread_mutex_t drawbar_curl_share_mutex = PTHREAD_MUTEX_INITIALIZER;

static inline void drawbar_curl_lock_share(
    CURL *easy, curl_lock_data data, curl_lock_access access, void *context) {
  (void)easy, (void)data, (void)access, (void)context;
  pthread_mutex_lock(&drawbar_curl_share_mutex);
}

static inline void drawbar_curl_unlock_share(CURL *easy, curl_lock_data data, void *context) {
  (void)easy, (void)data, (void)context;
  pthread_mutex_unlock(&drawbar_curl_share_mutex);
}

/// Returns a store of cookies that all handles of the process can share, on any thread; NULL if there is no memory.
/// Call it once: there is one mutex.
static inline CURLSH *_Nullable drawbar_curl_make_cookies(struct drawbar_curl curl) {
  CURLSH *share = curl.curl_share_init();
  if (!share) return NULL;
  if (curl.curl_share_setopt(share, CURLSHOPT_LOCKFUNC, drawbar_curl_lock_share) == CURLSHE_OK &&
      curl.curl_share_setopt(share, CURLSHOPT_UNLOCKFUNC, drawbar_curl_unlock_share) == CURLSHE_OK &&
      curl.curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE) == CURLSHE_OK)
    return share;
  curl.curl_share_cleanup(share);
  return NULL;
}

/// Reads a fact that is a `long`.
static inline CURLcode drawbar_curl_get_long(
    struct drawbar_curl curl, CURL *easy, CURLINFO info, long *value) {
  return curl.curl_easy_getinfo(easy, info, value);
}

/// Reads a fact that is a `curl_off_t`: byte counts and the times in microseconds.
static inline CURLcode drawbar_curl_get_offset(
    struct drawbar_curl curl, CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl.curl_easy_getinfo(easy, info, value);
}

/// Reads a fact that is a string, which belongs to the handle.
static inline CURLcode drawbar_curl_get_string(
    struct drawbar_curl curl, CURL *easy, CURLINFO info, const char **value) {
  return curl.curl_easy_getinfo(easy, info, value);
}
