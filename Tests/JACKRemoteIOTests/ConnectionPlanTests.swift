// SPDX-License-Identifier: MIT

import Testing

@testable import JACKRemoteIO

@Suite("A connection plan")
struct ConnectionPlanTests {
  private let inputs = [
    ServerPort(name: "mixer:in_1", isPhysical: false),
    ServerPort(name: "mixer:in_2", isPhysical: false),
    ServerPort(name: "Card A:playback_FL", aliases: ["alsa:0:left"], isPhysical: true),
    ServerPort(name: "Card A:playback_FR", isPhysical: true),
    ServerPort(name: "Card B:playback_FL", isPhysical: true),
    ServerPort(name: "Card B:playback_FR", isPhysical: true),
    ServerPort(name: "Card B:playback_LFE", isPhysical: true),
  ]

  private func plan(
    _ policy: RemoteIO.ConnectionPolicy, outputs: Int = 2, underSessionManager: Bool = false
  ) throws -> (pairs: [String], notes: [String]) {
    let names = (1...outputs).map { "me:out_\($0)" }
    let plan = try ConnectionPlan(
      policy: policy, direction: .outputs, ours: names, others: inputs,
      isUnderSessionManager: underSessionManager)
    return (plan.connections.map { "\($0.output.dropFirst(3)) \($0.input)" }, plan.notes)
  }

  @Test("uses the physical ports of one client only by default")
  func automatic() throws {
    let plan = try plan(.automatic)
    #expect(plan.pairs == ["out_1 Card A:playback_FL", "out_2 Card A:playback_FR"])
    #expect(plan.notes.isEmpty)
  }

  @Test("connects a single output to the first two ports")
  func mono() throws {
    #expect(
      try plan(.automatic, outputs: 1).pairs == [
        "out_1 Card A:playback_FL", "out_1 Card A:playback_FR",
      ])
  }

  @Test("connects the outputs that fit and reports the others")
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

  @Test("reports a missing physical port")
  func noPhysicalPort() throws {
    let plan = try ConnectionPlan(
      policy: .automatic, direction: .outputs, ours: ["me:out_1"], others: [inputs[0]],
      isUnderSessionManager: false)
    #expect(plan.connections.isEmpty)
    #expect(plan.notes == ["not connected: the server has no physical playback port"])
  }

  @Test("makes no connection and no note if none is wanted")
  func none() throws {
    let plan = try plan(.none)
    #expect(plan.pairs.isEmpty && plan.notes.isEmpty)
  }

  @Test(
    "reads a pattern as a port, else as a client, else as an expression, within one client",
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

  @Test("uses the ports of a list in order, by name or alias")
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

  @Test("is refused if a port is missing, nothing matches, or too many are named")
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

@Suite("A connection plan of inputs")
struct InputConnectionPlanTests {
  private let sources = [
    ServerPort(name: "synth:out_1", isPhysical: false),
    ServerPort(name: "synth:out_2", isPhysical: false),
    ServerPort(name: "me:out_1", isPhysical: false, isOwn: true),
    ServerPort(name: "Card A:capture_1", aliases: ["alsa:0:mic"], isPhysical: true),
    ServerPort(name: "Card A:capture_2", isPhysical: true),
    ServerPort(name: "Card B:capture_1", isPhysical: true),
  ]

  private func plan(
    _ policy: RemoteIO.ConnectionPolicy, inputs: Int = 2, from others: [ServerPort]? = nil
  ) throws -> (pairs: [String], notes: [String]) {
    let plan = try ConnectionPlan(
      policy: policy, direction: .inputs, ours: (0..<inputs).map { "me:in_\($0 + 1)" },
      others: others ?? sources, isUnderSessionManager: false)
    return (plan.connections.map { "\($0.output) \($0.input.dropFirst(3))" }, plan.notes)
  }

  @Test("uses the physical ports of one client by default, and the first one for a single input")
  func automatic() throws {
    #expect(try plan(.automatic).pairs == ["Card A:capture_1 in_1", "Card A:capture_2 in_2"])
    #expect(try plan(.automatic, inputs: 1).pairs == ["Card A:capture_1 in_1"])
    let wide = try plan(.automatic, inputs: 3)
    #expect(wide.pairs.count == 2)
    #expect(
      wide.notes == ["3 inputs but 2 ports to connect to: me:in_3 not connected"])
  }

  @Test("reports a missing physical port, and nothing without an input")
  func nothing() throws {
    let none = try plan(.automatic, from: [sources[0]])
    #expect(none.pairs.isEmpty)
    #expect(none.notes == ["not connected: the server has no physical capture port"])
    let inputless = try plan(.automatic, inputs: 0)
    #expect(inputless.pairs.isEmpty && inputless.notes.isEmpty)
    #expect(try plan(.none).pairs.isEmpty)
  }

  @Test("reads patterns and lists like a plan of outputs")
  func chosen() throws {
    #expect(try plan(.pattern("synth")).pairs == ["synth:out_1 in_1", "synth:out_2 in_2"])
    #expect(try plan(.pattern("alsa:0:mic")).pairs == ["Card A:capture_1 in_1"])
    #expect(
      try plan(.ports(["synth:out_2", "Card B:capture_1"])).pairs == [
        "synth:out_2 in_1", "Card B:capture_1 in_2",
      ])
    #expect(
      try plan(.ports(["synth:out_1", "synth:out_2", "alsa:0:mic"]), inputs: 1).pairs.count == 3)
  }

  @Test("never uses the client's own outputs")
  func feedback() {
    let physical = [ServerPort(name: "me:out_1", isPhysical: true, isOwn: true)]
    #expect(throws: Never.self) {
      let plan = try plan(.automatic, from: physical)
      #expect(plan.pairs.isEmpty)
    }
    #expect(throws: RemoteIOError.noMatchingSourcePorts(pattern: "^me:")) {
      try plan(.pattern("^me:"))
    }
    #expect(throws: RemoteIOError.noMatchingSourcePorts(pattern: "me:out_1")) {
      try plan(.pattern("me:out_1"))
    }
    #expect(throws: RemoteIOError.ownPort("me:out_1")) { try plan(.ports(["me:out_1"])) }
  }

  @Test("is refused if a port is missing, nothing matches, or too many are named")
  func refused() {
    #expect(throws: RemoteIOError.noSuchSourcePort("synth:out_3")) {
      try plan(.ports(["synth:out_3"]))
    }
    #expect(throws: RemoteIOError.noMatchingSourcePorts(pattern: "nobody")) {
      try plan(.pattern("nobody"))
    }
    #expect(throws: RemoteIOError.tooManySourcePorts(named: 3, inputs: 2)) {
      try plan(.ports(["synth:out_1", "synth:out_2", "Card B:capture_1"]))
    }
  }
}
