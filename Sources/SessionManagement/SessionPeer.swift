// SPDX-License-Identifier: MIT

internal import Glibc

/// The address that a session manager sends from, in numeric form.
struct SessionPeer: Equatable {
  /// An IPv4 address.
  let host: String
  let port: UInt16

  init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Looks up the host, which blocks as long as the resolver does. IPv4 only, as in liblo.
  init(_ url: SessionManagerURL) throws(SessionFailure) {
    var hints = unsafe addrinfo()
    unsafe hints.ai_family = AF_INET
    unsafe hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(url.host, nil, &hints, &found) == 0, let first = unsafe found else {
      throw .unknownHost(url.host)
    }
    defer { unsafe freeaddrinfo(first) }
    var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    guard
      unsafe getnameinfo(
        first.pointee.ai_addr, first.pointee.ai_addrlen, &name, socklen_t(name.count), nil, 0,
        NI_NUMERICHOST) == 0
    else { throw .unknownHost(url.host) }
    host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    port = url.port
  }

  /// Returns whether a message from this address is the session manager's. A machine may answer from another loopback
  /// address than the one it was asked at: Debian's own name is 127.0.1.1.
  func sent(fromHost host: String, port: String) -> Bool {
    guard port == String(self.port) else { return false }
    // A liblo with IPv6 reports an IPv4 address as an IPv6 one (RFC 4291, section 2.5.5.2).
    let mapped = "::ffff:"
    let host = host.hasPrefix(mapped) ? String(host.dropFirst(mapped.count)) : host
    func isLoopback(_ host: String) -> Bool { host.hasPrefix("127.") }
    return host == self.host || isLoopback(host) && isLoopback(self.host)
  }
}
