// SPDX-License-Identifier: MIT

import Glibc

/// Which variable of the environment names the proxy of a request. libcurl goes by them, and does not say
/// to which proxy it went. A variable that is empty counts as none.
struct ProxyEnvironment {
  /// A variable's value. It may hold a password.
  private let value: (String) -> String?

  /// The environment, or another one.
  init(
    _ value: @escaping (String) -> String? = { name in
      unsafe getenv(name).map { unsafe String(cString: $0) }
    }
  ) {
    self.value = value
  }

  /// The variable that names the proxy for URLs of a scheme; nil where there is none.
  func variable(forScheme scheme: String) -> String? {
    // Capital letters only for https: a web server sets HTTP_PROXY to what a request says.
    let own = scheme == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
    return firstNamed(own + ["all_proxy", "ALL_PROXY"])
  }

  /// Whether a host is surely one that no proxy is asked for: one that `no_proxy` names, or that is in a
  /// domain that it names. Of networks (`10.0.0.0/8`) not all versions of libcurl know.
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
