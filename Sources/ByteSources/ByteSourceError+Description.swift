// SPDX-License-Identifier: MIT

import AudioModel
import Glibc

extension ByteSourceError: CustomStringConvertible {
  /// A one-line message: the failure, its location, and a remedy.
  public var description: String {
    var text = sentence
    if let redirectedFrom { text += " (redirected from \(redirectedFrom))" }
    if failedReconnections > 0 {
      let attempts = failedReconnections == 1 ? "attempt" : "attempts"
      text += " (\(failedReconnections) \(attempts) to reconnect failed)"
    }
    return text.asMessage
  }

  private var sentence: String {
    switch reason {
    case .notFound:
      "no such file: \(location); check the path"
    case .permissionDenied:
      "no permission to read \(location); change its mode (chmod) or play it as its owner"
    case .directory:
      "\(location) is a directory; name a file in it"
    case .terminal:
      "\(location) is a terminal; pipe a file into it or name one"
    case .empty:
      "\(location) is empty: it ended before its first byte; check what wrote or served it"
    case .malformedLocation:
      "\(location) is not a usable path or URL; check its spelling"
    case .unsupportedScheme where redirectedFrom != nil:
      "redirect to \(location) refused; only http: and https: URLs may be redirected to"
    case .unsupportedScheme(let scheme):
      "\(scheme): URLs are not supported: \(location); use a path, file:, http: or https:"
    case .libraryNotInstalled:
      "libcurl, which http: and https: URLs need, is not installed: cannot read \(location);"
        + " install libcurl.so.4 (Debian: libcurl4)"
    case .unknownHost(let host):
      "no address found for host \(host) of \(location); check its spelling and the network"
    case .connectionRefused(let host, let port):
      "connection refused by \(host):\(port) for \(location); \(connectionAdvice(host))"
    case .unreachable(let host, let port, let errno):
      "no connection to \(host):\(port)\(Self.systemText(errno)) for \(location);"
        + " \(connectionAdvice(host))"
    case .timedOut(let wait, let host, let port, let nanoseconds):
      timeout(wait, host, port, after: nanoseconds)
    case .insecureConnection(let host, let port, let explanation):
      "no secure connection to \(host):\(port) for \(location): \(explanation);"
        + " check the address, this machine's clock and its CA certificates"
    case .status(let status):
      "the server answered \(Self.statusText(status)) for \(location); \(Self.advice(for: status))"
    case .tooManyRedirects(let limit):
      "more than \(limit) redirects from \(location); ask for the final address"
    case .badRedirect(let target):
      "the server redirected \(location) to '\(target)', which is not a usable URL;"
        + " report it to the server's operator"
    case .badResponse(let host, let port):
      "\(host):\(port) gave no HTTP answer for \(location); check the port and the scheme"
    case .interrupted(let received, let expected):
      "connection lost after \(Self.count(received, of: expected)) of \(location); try again"
    case .notResumable(let received, let expected):
      "connection lost after \(Self.count(received, of: expected)) of \(location), and the server"
        + " sends only the whole again; download it first"
    case .notRepositionable:
      "\(location) can only be read from its start to its end; save it to a file first"
    case .wrongRange(let byteOffset):
      "the server was asked for \(location) from byte \(byteOffset) on and sent something else;"
        + " download it first"
    case .changed:
      "\(location) has changed on the server while it was read; try again"
    case .foreignCoding(let field):
      "the server sends \(location) with '\(field)', which is not supported;"
        + " ask its operator for the plain file"
    case .noSound(let type):
      "the server sent \(type.map { "'\($0)'" } ?? "a web page") in place of the sound of"
        + " \(location); try again later"
    case .liveStreamingPlaylist:
      "\(location) is an HTTP Live Streaming (HLS) playlist, which is not supported;"
        + " use a direct stream of the same station"
    case .unusableProxy:
      "no address found for the proxy on the way to \(location);"
        + " check its spelling in \(proxyVariable ?? "the environment")"
    case .noSuchByte(let byteOffset):
      "the server has no byte \(byteOffset) of \(location); it may have changed: try again"
    case .system(let errno):
      "cannot read \(location)\(Self.systemText(errno)); check the file and its medium"
    case .transfer(let code, let explanation):
      "transfer failed for \(location): \(explanation) (libcurl \(code)); try again"
    }
  }

  private func timeout(
    _ wait: Wait, _ host: String, _ port: UInt16, after nanoseconds: UInt64
  ) -> String {
    let time = Self.seconds(nanoseconds)
    let endpoint = "\(host):\(port)"
    return switch wait {
    case .address:
      "no address found within \(time) for \(endpoint) of \(location); check the network"
    case .connection:
      "no connection to \(endpoint) within \(time) for \(location); \(connectionAdvice(host)),"
        + " or try a longer --timeout"
    case .answer:
      "no answer from \(endpoint) within \(time) for \(location);"
        + " try again later, or with a longer --timeout"
    case .nextByte(let received):
      "\(endpoint) went silent for \(time) after \(received) bytes of \(location); try again"
    }
  }

  /// The advice on a failed connection. With a proxy in the environment libcurl connects to the proxy instead
  /// of the host, and its result does not show this.
  private func connectionAdvice(_ host: String) -> String {
    guard let proxyVariable, !ProxyEnvironment().isReachedDirectly(host) else {
      return "check that the server runs, and the port"
    }
    return "check that the server runs, the port, and the proxy in \(proxyVariable)"
  }

  /// The environment variable that names the proxy for such a location.
  private var proxyVariable: String? {
    ProxyEnvironment().variable(forScheme: location.prefix { $0 != ":" }.lowercased())
  }

  private static func count(_ received: UInt64, of expected: UInt64?) -> String {
    "\(received) \(expected.map { "of \($0) " } ?? "")bytes"
  }

  private static func systemText(_ errno: Int32) -> String {
    guard errno != 0 else { return "" }
    var text = [CChar](repeating: 0, count: 128)
    // The POSIX strerror_r, which fills the array: the GNU one is not what Swift imports.
    guard unsafe strerror_r(errno, &text, text.count) == 0 else { return " (error \(errno))" }
    let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return " (\(String(decoding: bytes, as: UTF8.self)))"
  }

  private static func seconds(_ nanoseconds: UInt64) -> String {
    let tenths = nanoseconds / 100_000_000
    return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
  }

  /// The status with its name (RFC 9110, section 15).
  private static func statusText(_ status: Int) -> String {
    let name: String? =
      switch status {
      case 101: "Switching Protocols"
      case 400: "Bad Request"
      case 401: "Unauthorized"
      case 403: "Forbidden"
      case 404: "Not Found"
      case 407: "Proxy Authentication Required"
      case 406: "Not Acceptable"
      case 410: "Gone"
      case 426: "Upgrade Required"
      case 429: "Too Many Requests"
      case 451: "Unavailable For Legal Reasons"
      case 500: "Internal Server Error"
      case 502: "Bad Gateway"
      case 503: "Service Unavailable"
      case 504: "Gateway Timeout"
      case 511: "Network Authentication Required"
      default: nil
      }
    return name.map { "\(status) \($0)" } ?? "\(status)"
  }

  private static func advice(for status: Int) -> String {
    switch status {
    case 401: "give a user name and password in the URL, or correct them"
    case 407: "give a user name and password in the proxy's URL, or correct them"
    case 403: "ask for access"
    case 429, 500...: "try again later"
    default: "check the address"
    }
  }
}
