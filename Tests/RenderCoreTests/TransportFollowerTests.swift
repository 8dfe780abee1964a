// SPDX-License-Identifier: MIT

import Testing

@testable import RenderCore

@Suite("A source that follows a transport")
struct TransportFollowerTests {
  private typealias Step = TransportFollower.Step
  private static let rate = 48000

  /// Returns a follower whose next sound belongs to `frame`.
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

  @Test("plays in step in each rolling cycle, and requests nothing")
  func inStep() {
    var follower = placed(at: 0)
    for cycle in 0..<1000 {
      let step = step(&follower, Int64(cycle) * 256)
      #expect(step == Step(plays: true))
      follower.advance(by: 256)
    }
    #expect(follower.request == 0)
  }

  @Test("holds, and stays ready, while the transport is stopped at its frame")
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
    "requests each frame that a stopped transport moves to once", arguments: [-300, 300, 1 << 30])
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

  @Test("skips the frames of missed cycles")
  func missedCycles() {
    var follower = placed(at: 0)
    _ = step(&follower, 0)
    follower.advance(by: 256)
    let late = step(&follower, 256 * 5)
    #expect(late == Step(skip: 256 * 4, plays: true))
    #expect(follower.request == 0)
  }

  @Test("requests the transport's frame after a gap that is too long to skip")
  func longHole() {
    var follower = placed(at: 0)
    for cycle in 0...187 { _ = step(&follower, Int64(cycle) * 256) }
    #expect(!follower.isAsking)
    _ = step(&follower, 188 * 256)
    #expect(follower.isAsking && follower.askedFrame == 188 * 256)
  }

  @Test("requests sound ahead by the delay of a late answer, and waits for it in silence")
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
    #expect(early == Step(startOffset: 256, plays: true))
    let near = step(&follower, follower.askedFrame - 100)
    #expect(near == Step(startOffset: 100, plays: true))
    // The transport may go back meanwhile.
    let back = step(&follower, 490_000)
    #expect(back == Step(asks: true))
    #expect(follower.askedFrame == 490_000)
  }

  @Test(
    "seeks at once when a rolling transport jumps", arguments: [10, 4_800_000])
  func jumps(to frame: Int64) {
    var follower = placed(at: 480_000)
    _ = step(&follower, 480_000)
    follower.advance(by: 256)
    let step = step(&follower, frame)
    #expect(step == Step(asks: true))
    #expect(follower.askedFrame == frame)
  }

  @Test("is silent and ready where it has no sound, until the transport is elsewhere")
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

  @Test("accepts the answer even if its packets were dropped meanwhile")
  func droppedBeforeTheAnswer() {
    var follower = placed(at: 0)
    _ = step(&follower, 96000, rolling: false)
    follower.drop()
    follower.takeSilence(for: follower.request)
    #expect(follower.isSilent && follower.isReady(for: 96000))
    let back = step(&follower, 100)
    #expect(back == Step(asks: true))
  }

  @Test("plays from the current frame if it cannot seek")
  func here() {
    var follower = placed(at: 0)
    _ = step(&follower, 96000)
    follower.takeHere(for: follower.request, at: 96256)
    let step = step(&follower, 96256)
    #expect(step == Step(plays: true))
  }

  @Test("ignores an answer to a request that it has replaced")
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
    "is late once if a transport that waited rolls without it, but not after a mere jump"
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

  @Test("waits for the first sound without a request")
  func first() {
    var follower = TransportFollower()
    for frame in [0, 480, 96000] as [Int64] {
      let step = step(&follower, frame, rolling: false)
      #expect(step == Step())
    }
    #expect(follower.takesPlace && !follower.isReady(for: 96000))
  }
}
