// SPDX-License-Identifier: MIT

internal import Glibc

/// Where a session manager listens: `osc.udp://HOST:PORT/`, as liblo writes it.
public struct SessionManagerURL: Sendable, Equatable {
  /// The variable that a session manager sets for the programs that it starts.
  public static let variable = "NSM_URL"

  /// The URL as it was given.
  public let text: String
  /// A name or an address, without the brackets of IPv6.
  let host: String
  /// 1 to 65535.
  let port: UInt16

  /// What the environment says; nil where it names no session manager.
  public static var inEnvironment: String? {
    guard let value = unsafe getenv(variable), unsafe value.pointee != 0 else { return nil }
    return unsafe String(cString: value)
  }

  /// Reads a URL.
  ///
  /// - Throws: ``SessionFailure/invalidURL(_:)`` where it is none, or of another kind than UDP, the only one that
  ///   session managers have.
  public init(_ text: String) throws(SessionFailure) {
    let scheme = "osc.udp://"
    guard text.utf8.count <= 512, text.hasPrefix(scheme),
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { throw .invalidURL(text) }
    let authority = text.dropFirst(scheme.count).prefix { $0 != "/" }
    guard let colon = authority.lastIndex(of: ":") else { throw .invalidURL(text) }
    let digits = authority[authority.index(after: colon)...]
    var host = authority[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    guard !host.isEmpty, let port = UInt16(digits), port > 0, digits.first != "+" else {
      throw .invalidURL(text)
    }
    self.text = text
    self.host = String(host)
    self.port = port
  }
}
