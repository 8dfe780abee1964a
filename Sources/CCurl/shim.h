// SPDX-License-Identifier: MIT
#pragma once
#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are C variadics, which Swift cannot call. Each function
// below fixes the type of the one argument, so that a value of the wrong width does not compile.
// They see none of a target's defines: a header's inline code is compiled by whoever imports it.

/// Sets an option that takes a `long`.
static inline CURLcode drawbar_curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

/// Sets an option that takes a string, which libcurl copies.
static inline CURLcode drawbar_curl_set_string(
    CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

/// Sets an option that takes a pointer, which must live as long as the handle uses it.
static inline CURLcode drawbar_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

/// Sets an option that takes a list, which libcurl does not copy.
static inline CURLcode drawbar_curl_set_list(
    CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}

/// Sets the function that is given the body, and the pointer it is called with.
static inline CURLcode drawbar_curl_set_body_function(
    CURL *easy, curl_write_callback function, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, function);
  return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
}

/// Sets the function that is given each header line, and the pointer it is called with.
static inline CURLcode drawbar_curl_set_header_function(
    CURL *easy, curl_write_callback function, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, function);
  return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
}

/// Sets the function that is told when a connection is ready for the request, and the pointer it
/// is called with.
static inline CURLcode drawbar_curl_set_prerequest_function(
    CURL *easy, curl_prereq_callback function, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
  return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
}

/// Reads a fact that is a `long`.
static inline CURLcode drawbar_curl_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}

/// Reads a fact that is a `curl_off_t`: byte counts and the times in microseconds.
static inline CURLcode drawbar_curl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(easy, info, value);
}

/// Reads a fact that is a string, which belongs to the handle.
static inline CURLcode drawbar_curl_get_string(
    CURL *easy, CURLINFO info, const char **value) {
  return curl_easy_getinfo(easy, info, value);
}
