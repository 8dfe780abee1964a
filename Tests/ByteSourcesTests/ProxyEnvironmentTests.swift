// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

@testable import ByteSources

@Suite("The proxy from the environment")
struct ProxyEnvironmentTests {
  private func variable(_ scheme: String, _ variables: [String: String]) -> String? {
    ProxyEnvironment { variables[$0] }.variable(forScheme: scheme)
  }

  private func isDirect(_ host: String, _ variables: [String: String]) -> Bool {
    ProxyEnvironment { variables[$0] }.isReachedDirectly(host)
  }

  @Test("is the one for the URL's scheme, or else the one for all schemes")
  func scheme() {
    let all = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    var variables = Dictionary(uniqueKeysWithValues: all.map { ($0, "p") })
    // libcurl ignores this variable, because a web server sets it from a request.
    variables["HTTP_PROXY"] = "p"
    for (scheme, names) in [
      ("http", ["http_proxy", "all_proxy", "ALL_PROXY"]),
      ("https", ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]),
    ] {
      var left = variables
      for name in names {
        #expect(variable(scheme, left) == name)
        left[name] = nil
      }
      #expect(variable(scheme, left) == nil)
    }
  }

  @Test("is ignored if it is empty")
  func empty() {
    #expect(variable("http", ["http_proxy": ""]) == nil)
    #expect(variable("https", ["https_proxy": "", "ALL_PROXY": "p"]) == "ALL_PROXY")
  }

  @Test("is not used for the hosts in no_proxy")
  func direct() {
    let list = ["no_proxy": "localhost, Example.org\t.radio.net,10.0.0.1 ::1,192.168.0.0/16"]
    for host in [
      "localhost", "LOCALHOST", "example.org", "a.b.example.org", "radio.net", "x.radio.net",
      "10.0.0.1", "[::1]",
    ] {
      #expect(isDirect(host, list), "\(host)")
    }
    for host in ["anexample.org", "example.org.net", "10.0.0.10", "localhos"] {
      #expect(!isDirect(host, list), "\(host)")
    }
    #expect(isDirect("a", ["no_proxy": "*"]) && !isDirect("a", ["no_proxy": "b,*"]))
    #expect(isDirect("a", ["NO_PROXY": "a"]) && isDirect("a", ["no_proxy": "", "NO_PROXY": "a"]))
    #expect(!isDirect("a", ["no_proxy": "b", "NO_PROXY": "a"]))
    #expect(!isDirect("a", [:]) && !isDirect("a", ["no_proxy": ", ."]))
  }

  @Test("is named in a connection failure only if it was used")
  func advice() async {
    await #expect(processExitsWith: .success) {
      let server = LoopbackHTTPServer()
      let (local, proxy) = (server.url("/a"), server.url(""))
      server.stop()
      for name in ["http_proxy", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"] {
        unsafe unsetenv(name)
      }
      func advice(_ location: String) -> String {
        String((readAll(location).error?.description ?? "").split(separator: ";").last ?? "")
      }
      let plain = " check that the server runs, and the port"
      unsafe setenv("https_proxy", proxy, 1)
      unsafe setenv("http_proxy", "", 1)
      #expect(advice(local) == plain)
      unsafe setenv("ALL_PROXY", proxy, 1)
      #expect(
        advice("http://radio.invalid/a")
          == " check that the server runs, the port, and the proxy in ALL_PROXY")
      #expect(
        advice("https://radio.invalid/a")
          == " check that the server runs, the port, and the proxy in https_proxy")
      unsafe setenv("no_proxy", "127.0.0.1", 1)
      #expect(advice(local) == plain)
      unsafe setenv("https_proxy", "http://proxy.invalid:1", 1)
      #expect(advice("https://radio.invalid/a") == " check its spelling in https_proxy")
    }
  }
}
