// SPDX-License-Identifier: MIT

internal import Glibc

/// The URL of a session manager: `osc.udp://HOST:PORT/`, as liblo writes it.
public struct SessionManagerURL: Sendable, Equatable {
  /// The variable that a session manager sets for the programs that it starts.
  public static let variable = "NSM_URL"

  /// The URL as written.
  public let text: String
  /// A name or an address, without the brackets of IPv6.
  let host: String
  /// 1 to 65535.
  let port: UInt16

  /// The URL in the environment; nil if it names no session manager.
  public static var inEnvironment: String? {
    guard let value = unsafe getenv(variable), unsafe value.pointee != 0 else { return nil }
    return unsafe String(cString: value)
  }

  /// Parses a URL.
  ///
  /// - Throws: ``SessionFailure/invalidURL(_:)`` unless it is a URL of UDP, the only protocol of session managers.
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
