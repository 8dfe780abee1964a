// SPDX-License-Identifier: MIT

import Testing

@testable import RenderCore

@Suite("Planes")
struct PlanesTests {
  @Test("store channels separately, and return the frames unchanged", arguments: 1...8)
  func roundTrip(channels: Int) {
    let capacity = 67
    let planes = Planes(capacity: capacity, channels: channels)
    for count in 0...capacity {
      let frames = (0..<count * channels).map { Float($0 + 1) }
      unsafe planes.take(frames, count: count)
      for channel in 0..<channels {
        let plane = unsafe planes.pointers[channel]?.assumingMemoryBound(to: Float.self)
        for frame in 0..<count {
          #expect(unsafe plane?[frame] == frames[frame * channels + channel])
        }
      }
      var given = [Float](repeating: 0, count: (count + 1) * channels)
      unsafe planes.give(&given, count: count)
      #expect(Array(given.prefix(count * channels)) == frames)
      #expect(given.suffix(channels).allSatisfy { $0 == 0 })
    }
  }

  @Test("that are alike share their memory, and are silent")
  func alike() {
    let planes = Planes(capacity: 16, channels: 3, areAlike: true)
    #expect(unsafe planes.pointers[0] == planes.pointers[1])
    #expect(unsafe planes.pointers[0] == planes.pointers[2])
    let plane = unsafe planes.pointers[0]?.assumingMemoryBound(to: Float.self)
    for frame in 0..<16 { #expect(unsafe plane?[frame] == 0) }
  }
}
