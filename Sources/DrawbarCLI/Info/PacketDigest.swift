// SPDX-License-Identifier: MIT

import CCrypto

/// SHA-256 (FIPS 180-4) over the packets: for each its byte offset as a little-endian 64-bit integer and its size as a
/// 32-bit one.
@safe final class PacketDigest {
  private static let pieceBytes = 4096

  private let crypto: drawbar_crypto
  private let context: OpaquePointer
  private var pending: [UInt8] = []

  /// Creates the digest of no packets; nil if libcrypto is not installed.
  init?() {
    guard let crypto = CryptoLibrary.functions else { return nil }
    guard let context = unsafe crypto.EVP_MD_CTX_new(),
      unsafe crypto.EVP_DigestInit_ex(context, crypto.EVP_sha256(), nil) == 1
    else { fatalError("libcrypto has no SHA-256") }
    self.crypto = crypto
    unsafe self.context = context
  }

  deinit {
    unsafe crypto.EVP_MD_CTX_free(context)
  }

  /// Adds a packet.
  func add(byteOffset: Int64, byteCount: Int64) {
    append(UInt64(bitPattern: byteOffset), byteCount: 8)
    append(UInt64(bitPattern: byteCount), byteCount: 4)
    if pending.count >= Self.pieceBytes { flush() }
  }

  private func append(_ value: UInt64, byteCount: Int) {
    for place in 0..<byteCount {
      pending.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(place))))
    }
  }

  private func flush() {
    let result = unsafe pending.withUnsafeBytes { bytes in
      unsafe crypto.EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }
    precondition(result == 1, "libcrypto failed on plain memory")
    pending.removeAll(keepingCapacity: true)
  }

  /// Returns the digest of the packets in lower-case hexadecimal. Ends the digest: call it once.
  func finish() -> String {
    flush()
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    let result = unsafe crypto.EVP_DigestFinal_ex(context, &digest, &count)
    precondition(result == 1, "libcrypto failed on plain memory")
    return digest.prefix(Int(count)).map { byte in
      let digits = String(byte, radix: 16)
      return byte < 16 ? "0" + digits : digits
    }.joined()
  }
}
