// SPDX-License-Identifier: MIT

import Glibc

/// The environment variables that name the proxy of a request. libcurl obeys them, and does not report the
/// proxy. An empty variable counts as unset.
struct ProxyEnvironment {
  /// A variable's value. It may hold a password.
  private let value: (String) -> String?

  /// Creates a view of the process's environment, or of another one.
  init(
    _ value: @escaping (String) -> String? = { name in
      unsafe getenv(name).map { unsafe String(cString: $0) }
    }
  ) {
    self.value = value
  }

  /// Returns the variable that names the proxy for URLs of a scheme; nil if there is none.
  func variable(forScheme scheme: String) -> String? {
    // Capital letters only for https: a web server sets HTTP_PROXY from a request's field.
    let own = scheme == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
    return firstNamed(own + ["all_proxy", "ALL_PROXY"])
  }

  /// Returns whether a host is certainly reached without a proxy: `no_proxy` names the host or its domain.
  /// Networks (`10.0.0.0/8`) do not count, because not all versions of libcurl support them.
  ///
  /// - Parameter host: as in a URL: an IPv6 address is in brackets.
  func isReachedDirectly(_ host: String) -> Bool {
    guard let list = firstNamed(["no_proxy", "NO_PROXY"]).flatMap(value) else { return false }
    if list == "*" { return true }
    let host = host.lowercased().filter { $0 != "[" && $0 != "]" }
    let isAddress = host.contains(":") || host.last?.isNumber == true
    return list.lowercased().split { [",", " ", "\t"].contains($0) }.contains { entry in
      let name = entry.first == "." ? entry.dropFirst() : entry
      guard !name.isEmpty else { return false }
      return host == name || !isAddress && host.hasSuffix("." + name)
    }
  }

  private func firstNamed(_ names: [String]) -> String? {
    names.first { name in value(name).map { !$0.isEmpty } ?? false }
  }
}
