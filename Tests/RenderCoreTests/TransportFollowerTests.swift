// SPDX-License-Identifier: MIT

import Testing

@testable import RenderCore

@Suite("What a source does that follows a transport")
struct TransportFollowerTests {
  private typealias Step = TransportFollower.Step
  private static let rate = 48000

  /// A follower whose next sound belongs to a frame.
  private func placed(at frame: Int64) -> TransportFollower {
    var follower = TransportFollower()
    follower.place(at: frame)
    return follower
  }

  private func step(
    _ follower: inout TransportFollower, _ frame: Int64, rolling: Bool = true, count: Int = 256
  ) -> Step {
    follower.step(
      RenderTransport(frame: frame, isRolling: rolling), frameCount: count, rate: Self.rate)
  }

  @Test("plays in each cycle that rolls, in step, and asks for nothing")
  func inStep() {
    var follower = placed(at: 0)
    for cycle in 0..<1000 {
      let step = step(&follower, Int64(cycle) * 256)
      #expect(step == Step(plays: true))
      follower.advance(by: 256)
    }
    #expect(follower.request == 0)
  }

  @Test("holds, and stays ready, where the transport stands at its place")
  func stands() {
    var follower = placed(at: 4800)
    for _ in 0..<100 {
      let step = step(&follower, 4800, rolling: false)
      #expect(step == Step())
    }
    #expect(follower.isReady(for: 4800) && !follower.isReady(for: 4801))
    let rolls = step(&follower, 4800)
    #expect(rolls == Step(plays: true))
  }

  @Test(
    "asks once for each place that a standing transport goes to", arguments: [-300, 300, 1 << 30])
  func relocated(by distance: Int64) {
    var follower = placed(at: 48000)
    _ = step(&follower, 48000, rolling: false)
    for number in 1...3 {
      let frame = 48000 + distance + Int64(number)
      let first = step(&follower, frame, rolling: false)
      #expect(first == Step(asks: true))
      #expect(follower.askedFrame == frame && follower.request == UInt32(number))
      let second = step(&follower, frame, rolling: false)
      #expect(second == Step())
      #expect(!follower.isReady(for: frame))
    }
  }

  @Test("leaves out what cycles that were missed would have played")
  func missedCycles() {
    var follower = placed(at: 0)
    _ = step(&follower, 0)
    follower.advance(by: 256)
    let late = step(&follower, 256 * 5)
    #expect(late == Step(skip: 256 * 4, plays: true))
    #expect(follower.request == 0)
  }

  @Test("asks where the transport is when it has nothing to play for longer than can be left out")
  func longHole() {
    var follower = placed(at: 0)
    for cycle in 0...187 { _ = step(&follower, Int64(cycle) * 256) }
    #expect(!follower.isAsking)
    _ = step(&follower, 188 * 256)
    #expect(follower.isAsking && follower.askedFrame == 188 * 256)
  }

  @Test("looks ahead for what has come too late, as far as that took, and waits for it in silence")
  func tooLate() {
    var follower = placed(at: 0)
    _ = step(&follower, 480_000)
    for cycle in 1...300 { _ = step(&follower, 480_000 + Int64(cycle) * 256) }
    #expect(follower.request == 1)
    follower.drop()
    follower.place(at: 480_000)
    let late = step(&follower, 480_000 + 301 * 256)
    #expect(late == Step(asks: true))
    #expect(follower.askedFrame == 480_000 + 602 * 256)
    follower.drop()
    follower.place(at: follower.askedFrame)
    let early = step(&follower, 480_000 + 302 * 256)
    #expect(early == Step(lead: 256, plays: true))
    let near = step(&follower, follower.askedFrame - 100)
    #expect(near == Step(lead: 100, plays: true))
    // Unless the transport goes back meanwhile.
    let back = step(&follower, 490_000)
    #expect(back == Step(asks: true))
    #expect(follower.askedFrame == 490_000)
  }

  @Test(
    "goes to a place at once where a rolling transport jumps there", arguments: [10, 4_800_000])
  func jumps(to frame: Int64) {
    var follower = placed(at: 480_000)
    _ = step(&follower, 480_000)
    follower.advance(by: 256)
    let step = step(&follower, frame)
    #expect(step == Step(asks: true))
    #expect(follower.askedFrame == frame)
  }

  @Test("is silent and ready where nothing is to be had, until the transport is elsewhere")
  func silence() {
    var follower = placed(at: 0)
    _ = step(&follower, 96000, rolling: false)
    follower.takeSilence(for: follower.request)
    #expect(follower.isSilent && follower.isReady(for: 96000))
    for cycle in 0..<1000 {
      let step = step(&follower, 96000 + Int64(cycle) * 256)
      #expect(step == Step())
    }
    let back = step(&follower, 100)
    #expect(back == Step(asks: true))
  }

  @Test("takes the answer also where what it was fed was dropped meanwhile")
  func droppedBeforeTheAnswer() {
    var follower = placed(at: 0)
    _ = step(&follower, 96000, rolling: false)
    follower.drop()
    follower.takeSilence(for: follower.request)
    #expect(follower.isSilent && follower.isReady(for: 96000))
    let back = step(&follower, 100)
    #expect(back == Step(asks: true))
  }

  @Test("plays from now on where a source cannot go anywhere")
  func here() {
    var follower = placed(at: 0)
    _ = step(&follower, 96000)
    follower.takeHere(for: follower.request, at: 96256)
    let step = step(&follower, 96256)
    #expect(step == Step(plays: true))
  }

  @Test("takes no answer to a request that it has replaced")
  func lateAnswers() {
    var follower = placed(at: 0)
    _ = step(&follower, 96000, rolling: false)
    let first = follower.request
    _ = step(&follower, 48000, rolling: false)
    follower.takeSilence(for: first)
    follower.takeHere(for: first, at: 0)
    #expect(follower.isAsking && follower.askedFrame == 48000)
  }

  @Test(
    "is late once when a transport that was waited for rolls without it, and not when it just jumped"
  )
  func lateness() {
    var follower = placed(at: 0)
    _ = step(&follower, 96000, rolling: false)
    var late = follower.takeLateness(RenderTransport(frame: 96000, isRolling: false))
    #expect(!late)
    late = follower.takeLateness(RenderTransport(frame: 96000, isRolling: true))
    #expect(late)
    late = follower.takeLateness(RenderTransport(frame: 96256, isRolling: true))
    #expect(!late)
    _ = step(&follower, 5)
    late = follower.takeLateness(RenderTransport(frame: 5, isRolling: true))
    #expect(!late)
  }

  @Test("waits for the first sound without asking")
  func first() {
    var follower = TransportFollower()
    for frame in [0, 480, 96000] as [Int64] {
      let step = step(&follower, frame, rolling: false)
      #expect(step == Step())
    }
    #expect(follower.takesPlace && !follower.isReady(for: 96000))
  }
}
