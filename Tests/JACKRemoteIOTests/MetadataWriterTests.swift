// SPDX-License-Identifier: MIT

import Synchronization
import TestKit
import Testing

@testable import JACKRemoteIO

/// The steps taken on several threads, in order.
private final class Steps: Sendable {
  private let steps = Mutex<[String]>([])

  var all: [String] { steps.withLock { $0 } }

  func note(_ step: String) {
    steps.withLock { $0.append(step) }
  }
}

@Suite("The metadata of a client")
struct MetadataWriterTests {
  @Test("are set and withdrawn, and then the client is closed")
  func life() {
    let (writer, steps) = (MetadataWriter(), Steps())
    let note = writer.publish {
      steps.note("set")
      return true
    }
    #expect(note == nil)
    let isClosed = writer.withdraw({ steps.note("removed") }, close: { steps.note("closed") })
    #expect(isClosed)
    #expect(steps.all == ["set", "removed", "closed"])
  }

  @Test("that a server refuses are reported in a line, and still withdrawn")
  func refused() {
    let (writer, steps) = (MetadataWriter(), Steps())
    let note = writer.publish { false }
    #expect(note == "the ports have no names for people: the JACK server's metadata cannot be set")
    let isClosed = writer.withdraw({ steps.note("removed") }, close: { steps.note("closed") })
    #expect(isClosed)
    #expect(steps.all == ["removed", "closed"])
  }

  @Test("are not withdrawn from a server that has ended, nor set once the client is closed")
  func ended() {
    let (writer, steps) = (MetadataWriter(), Steps())
    let isClosed = writer.withdraw({ steps.note("removed") }, close: { steps.note("closed") })
    #expect(isClosed)
    let late = writer.publish {
      steps.note("set")
      return true
    }
    #expect(late == nil && steps.all == ["closed"])
    let other = MetadataWriter()
    _ = other.publish { true }
    let isOtherClosed = other.withdraw(nil, close: { steps.note("closed") })
    #expect(isOtherClosed)
    #expect(steps.all == ["closed", "closed"])
  }

  @Test("block no caller while they are locked, and the client is closed only after the answer")
  func stuck() {
    for sticksFirst in [true, false] {
      let (writer, steps, answer) = (MetadataWriter(), Steps(), OneTimeEvent())
      let closed = OneTimeEvent()
      let start = monotonicSeconds()
      let note = writer.publish {
        if sticksFirst { answer.wait(seconds: 60) }
        steps.note("set")
        return true
      }
      #expect(note?.contains("did not answer within 1 s") == (sticksFirst ? true : nil))
      let isClosed = writer.withdraw(
        {
          answer.wait(seconds: 60)
          steps.note("removed")
        },
        close: {
          steps.note("closed")
          closed.signal()
        })
      #expect(!isClosed && monotonicSeconds() - start < 5)
      #expect(steps.all == (sticksFirst ? [] : ["set"]))
      answer.signal()
      #expect(closed.wait(seconds: 20))
      #expect(steps.all == (sticksFirst ? ["set", "closed"] : ["set", "removed", "closed"]))
    }
  }
}
