// SPDX-License-Identifier: MIT

import Testing

@testable import JACKRemoteIO

@Suite("The memory of connections")
struct ConnectionMemoryTests {
  private let left = OwnConnection(direction: .outputs, channel: 0, other: "system:playback_1")
  private let right = OwnConnection(direction: .outputs, channel: 1, other: "system:playback_2")
  private let input = OwnConnection(direction: .inputs, channel: 0, other: "system:capture_1")

  @Test("holds the initial connections if the graph was not read since")
  func start() {
    var memory = ConnectionMemory([left, input])
    #expect(memory.missing.isEmpty)
    memory.lose(atCycle: 0)
    #expect(memory.missing == [left, input])
  }

  @Test("holds the connections last seen, if a cycle followed")
  func lastLook() {
    var memory = ConnectionMemory([left])
    memory.look([left, right], atCycle: 10)
    memory.look([right], atCycle: 12)
    memory.lose(atCycle: 13)
    #expect(memory.missing == [right])
  }

  @Test("holds connections made in the very cycle in which the server was killed")
  func lastCycle() {
    var memory = ConnectionMemory([left])
    memory.look([left, right], atCycle: 10)
    memory.lose(atCycle: 10)
    #expect(memory.missing == [left, right])
  }

  @Test("keeps connections that disappear after the last cycle")
  func lookWithoutCycle() {
    var memory = ConnectionMemory([left])
    memory.look([left, right], atCycle: 10)
    // The server ends: it removes its ports, and no cycle follows.
    memory.look([right], atCycle: 12)
    memory.look([], atCycle: 12)
    memory.lose(atCycle: 12)
    #expect(memory.missing == [left, right])
  }

  @Test("forgets connections that another program removed, but not those that are not back yet")
  func missing() {
    var memory = ConnectionMemory([left, right])
    memory.lose(atCycle: 5)
    memory.look([left], atCycle: 6)
    #expect(memory.missing == [right])
    memory.look([], atCycle: 7)
    // Lost again: the left connection was removed by another program, the right one is still awaited.
    memory.lose(atCycle: 8)
    #expect(memory.missing == [right])
    memory.giveUpMissing()
    memory.lose(atCycle: 8)
    #expect(memory.missing.isEmpty)
  }
}

@Suite("The frame clock")
struct FrameClockTests {
  private func time(_ serverTime: UInt32, _ clock: FrameClock) -> UInt32? {
    FrameClock.time(atServerTime: serverTime, publication: clock.publication)
  }

  @Test("is the server's, and continues from the last cycle's end on another server")
  func restart() {
    var clock = FrameClock()
    clock.restart()
    #expect(clock.advance(serverTime: 1000, frameCount: 256) == 1000)
    #expect(clock.advance(serverTime: 1256, frameCount: 256) == 1256)
    #expect(time(1300, clock) == 1300)
    clock.restart()
    #expect(time(1300, clock) == nil)
    #expect(clock.advance(serverTime: 128, frameCount: 64) == 1512)
    #expect(clock.advance(serverTime: 192, frameCount: 64) == 1576)
    #expect(time(200, clock) == 1584)
    // A jump of the same server's clock is a jump of this clock.
    #expect(clock.advance(serverTime: 1192, frameCount: 64) == 2576)
  }

  @Test("wraps as the server's does")
  func wrap() {
    var clock = FrameClock()
    #expect(clock.advance(serverTime: .max - 99, frameCount: 256) == UInt32.max - 99)
    clock.restart()
    #expect(clock.advance(serverTime: 0, frameCount: 256) == 156)
    #expect(time(.max, clock) == 155)
  }
}

@Suite("The server's presence")
struct ServerPresenceTests {
  @Test("counts one loss before each re-attachment, however often it is reported")
  func order() {
    var presence = ServerPresence()
    presence.lose(reason: "first")
    presence.lose(reason: "again")
    #expect(presence.isAway && presence.losses == 1 && presence.reason == "first")
    presence.reattach()
    #expect(!presence.isAway && presence.reattachments == 1)
    presence.lose(reason: "second")
    #expect(presence.isAway && presence.losses == 2 && presence.reason == "second")
  }
}
