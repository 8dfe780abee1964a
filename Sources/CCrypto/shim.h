// SPDX-License-Identifier: MIT
#pragma once
#include <dlfcn.h>
#include <openssl/evp.h>
#include <openssl/opensslv.h>
#include <stdbool.h>

// The program does not link libcrypto: each start would write 400 kB of its tables, and only a digest needs it. It
// is loaded for the first digest.

/// The functions that are used.
#define DRAWBAR_CRYPTO_FUNCTIONS(function) \
  function(EVP_DigestFinal_ex) \
  function(EVP_DigestInit_ex) \
  function(EVP_DigestUpdate) \
  function(EVP_MD_CTX_free) \
  function(EVP_MD_CTX_new) \
  function(EVP_sha256)

/// The addresses of the functions in the process, by name. They are never written again.
struct __attribute__((swift_attr("@Sendable"))) drawbar_crypto {
#define DRAWBAR_FIELD(name) __typeof__(name) *_Nonnull name;
  DRAWBAR_CRYPTO_FUNCTIONS(DRAWBAR_FIELD)
#undef DRAWBAR_FIELD
};

#define DRAWBAR_CRYPTO_TEXT(number) #number
#define DRAWBAR_CRYPTO_NAME(number) "libcrypto.so." DRAWBAR_CRYPTO_TEXT(number)

/// The library file of the version that these headers belong to: functions change with the version.
static inline const char *_Nonnull drawbar_crypto_file(void) {
  return DRAWBAR_CRYPTO_NAME(OPENSSL_SHLIB_VERSION);
}

/// Loads the library for the rest of the process; false if it is missing or older than its header.
static inline bool drawbar_crypto_load(struct drawbar_crypto *_Nonnull crypto) {
  void *library = dlopen(drawbar_crypto_file(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
#define DRAWBAR_FIND(name) \
  void *found_##name = dlsym(library, #name); \
  if (!found_##name) return false; \
  crypto->name = (__typeof__(name) *)found_##name;
  DRAWBAR_CRYPTO_FUNCTIONS(DRAWBAR_FIND)
#undef DRAWBAR_FIND
  return true;
}
