// SPDX-License-Identifier: MIT

import Testing

@testable import MediaControl

@Suite("The session bus's address")
struct SessionBusTests {
  func address(_ variables: [String: String], sockets: [String] = []) -> String? {
    SessionBus.address(variable: { variables[$0] }, isSocket: { sockets.contains($0) })
  }

  @Test("is the environment's")
  func environment() {
    let stated = "unix:abstract=/tmp/dbus-1,guid=ab;tcp:host=localhost,port=1"
    #expect(
      address(
        ["DBUS_SESSION_BUS_ADDRESS": stated, "XDG_RUNTIME_DIR": "/run/user/1"],
        sockets: ["/run/user/1/bus"]) == stated)
  }

  @Test("is the socket in the runtime directory if the environment has none")
  func runtimeDirectory() {
    for nothing in [[:], ["DBUS_SESSION_BUS_ADDRESS": ""]] {
      let variables = nothing.merging(["XDG_RUNTIME_DIR": "/run/user/1"]) { old, _ in old }
      #expect(address(variables, sockets: ["/run/user/1/bus"]) == "unix:path=/run/user/1/bus")
      #expect(address(variables) == nil)
    }
    #expect(address(["XDG_RUNTIME_DIR": "run"], sockets: ["run/bus"]) == nil)
  }

  @Test("has every byte that could end it escaped")
  func escaping() {
    #expect(
      address(["XDG_RUNTIME_DIR": "/a,b;c=d %é"], sockets: ["/a,b;c=d %é/bus"])
        == "unix:path=/a%2cb%3bc%3dd%20%25%c3%a9/bus")
  }

  @Test("is nil if a bus would have to be started, or is not wanted")
  func none() {
    for refused in ["autolaunch:", "disabled:"] {
      let variables = ["DBUS_SESSION_BUS_ADDRESS": refused, "XDG_RUNTIME_DIR": "/run"]
      #expect(address(variables, sockets: ["/run/bus"]) == nil)
    }
    #expect(address([:]) == nil)
  }
}
