// SPDX-License-Identifier: MIT

import Testing

@testable import JACKRemoteIO

@Suite("A connection plan")
struct ConnectionPlanTests {
  private let inputs = [
    InputPort(name: "mixer:in_1", isPhysical: false),
    InputPort(name: "mixer:in_2", isPhysical: false),
    InputPort(name: "Card A:playback_FL", aliases: ["alsa:0:left"], isPhysical: true),
    InputPort(name: "Card A:playback_FR", isPhysical: true),
    InputPort(name: "Card B:playback_FL", isPhysical: true),
    InputPort(name: "Card B:playback_FR", isPhysical: true),
    InputPort(name: "Card B:playback_LFE", isPhysical: true),
  ]

  private func plan(
    _ policy: RemoteIO.ConnectionPolicy, outputs: Int = 2, underSessionManager: Bool = false
  ) throws -> (pairs: [String], notes: [String]) {
    let names = (1...outputs).map { "me:out_\($0)" }
    let plan = try ConnectionPlan(
      policy: policy, outputs: names, inputs: inputs,
      isUnderSessionManager: underSessionManager)
    return (plan.connections.map { "\($0.output.dropFirst(3)) \($0.input)" }, plan.notes)
  }

  @Test("goes by itself to the physical ports of one client only")
  func automatic() throws {
    let plan = try plan(.automatic)
    #expect(plan.pairs == ["out_1 Card A:playback_FL", "out_2 Card A:playback_FR"])
    #expect(plan.notes.isEmpty)
  }

  @Test("gives one output to the first two ports")
  func mono() throws {
    #expect(
      try plan(.automatic, outputs: 1).pairs == [
        "out_1 Card A:playback_FL", "out_1 Card A:playback_FR",
      ])
  }

  @Test("connects what fits and says what does not")
  func moreOutputsThanPorts() throws {
    let plan = try plan(.automatic, outputs: 4)
    #expect(plan.pairs == ["out_1 Card A:playback_FL", "out_2 Card A:playback_FR"])
    #expect(
      plan.notes == [
        "4 outputs but 2 ports to connect to: me:out_3, me:out_4 not connected"
      ])
  }

  @Test("leaves the connections to a session manager")
  func sessionManager() throws {
    let plan = try plan(.automatic, underSessionManager: true)
    #expect(plan.pairs.isEmpty)
    #expect(plan.notes.count == 1)
    #expect(try self.plan(.pattern("mixer"), underSessionManager: true).pairs.count == 2)
  }

  @Test("says so when there is no physical port")
  func noPhysicalPort() throws {
    let plan = try ConnectionPlan(
      policy: .automatic, outputs: ["me:out_1"], inputs: [inputs[0]], isUnderSessionManager: false)
    #expect(plan.connections.isEmpty)
    #expect(plan.notes == ["not connected: the server has no physical playback port"])
  }

  @Test("makes no connection and no remark when none is wanted")
  func none() throws {
    let plan = try plan(.none)
    #expect(plan.pairs.isEmpty && plan.notes.isEmpty)
  }

  @Test(
    "takes a pattern as a port, else as a client, else as an expression, within one client",
    arguments: [
      ("mixer:in_2", ["out_1 mixer:in_2"]),
      ("alsa:0:left", ["out_1 Card A:playback_FL"]),
      ("Card B", ["out_1 Card B:playback_FL", "out_2 Card B:playback_FR"]),
      ("F[LR]$", ["out_1 Card A:playback_FL", "out_2 Card A:playback_FR"]),
      ("LFE|in_2", ["out_1 mixer:in_2"]),
      ("B:.*(FR|LFE)", ["out_1 Card B:playback_FR", "out_2 Card B:playback_LFE"]),
    ])
  func pattern(_ pattern: String, _ pairs: [String]) throws {
    #expect(try plan(.pattern(pattern)).pairs == pairs)
  }

  @Test("takes the ports of a list in its order, by name or alias")
  func list() throws {
    #expect(
      try plan(.ports(["Card B:playback_FR", "alsa:0:left"])).pairs == [
        "out_1 Card B:playback_FR", "out_2 Card A:playback_FL",
      ])
    #expect(try plan(.ports(["mixer:in_1", "mixer:in_1"])).pairs.count == 2)
    #expect(
      try plan(.ports(["mixer:in_1", "mixer:in_2", "Card A:playback_FL"]), outputs: 1).pairs.count
        == 3)
  }

  @Test("is refused when a port is not there, nothing matches, or too many are named")
  func refused() {
    #expect(throws: RemoteIOError.noSuchPort("mixer:in_3")) {
      try plan(.ports(["mixer:in_1", "mixer:in_3"]))
    }
    #expect(throws: RemoteIOError.noMatchingPorts(pattern: "nobody")) {
      try plan(.pattern("nobody"))
    }
    #expect(throws: RemoteIOError.tooManyPorts(named: 3, outputs: 2)) {
      try plan(.ports(["mixer:in_1", "mixer:in_2", "Card A:playback_FL"]))
    }
  }
}
