// SPDX-License-Identifier: MIT

import AudioModel
import Testing

@testable import PushQueue

@Suite("4.2 AudioQueue buffers")
struct AudioQueueBufferTests {
  @Test("A new buffer is empty, and its capacities and its address do not change")
  func fields() throws {
    let queue = try SteppedQueue().queue
    let buffer = try queue.allocateBuffer(byteCapacity: 100, packetDescriptionCapacity: 2)
    let address = unsafe buffer.bytes.baseAddress
    #expect(buffer.byteCapacity == 100 && buffer.packetDescriptionCapacity == 2)
    #expect(buffer.byteCount == 0 && buffer.packetDescriptions.isEmpty && buffer.userData == nil)
    let packet = [UInt8](repeating: 7, count: 40)
    let areTaken = [buffer.append(packet: packet.span), buffer.append(packet: packet.span)]
    #expect(areTaken == [true, true])
    #expect(buffer.byteCount == 80 && buffer.packetDescriptions.map(\.startOffset) == [0, 40])
    let (small, rest) = ([UInt8](repeating: 1, count: 20), [UInt8](repeating: 1, count: 21))
    let hasThirdDescription = buffer.append(packet: small.span)
    let fits = [buffer.append(rest.span), buffer.append(small.span)]
    #expect(!hasThirdDescription && fits == [false, true], "20 bytes are left")
    let same = unsafe buffer.bytes.baseAddress == address
    #expect(same && buffer.byteCount == 100)
    buffer.removeAll()
    #expect(buffer.byteCount == 0 && buffer.packetDescriptions.isEmpty)
  }

  @Test("Byte sizes beyond the memory are clamped to it", arguments: [-1, 101, Int.max, Int.min])
  func byteCount(_ count: Int) throws {
    let buffer = try SteppedQueue().queue.allocateBuffer(byteCapacity: 100)
    buffer.byteCount = count
    #expect((0...100).contains(buffer.byteCount))
  }

  @Test("The queue does not touch the user's data")
  func userData() throws {
    let owner = try SteppedQueue()
    let buffer = try owner.enqueueRamp(0..<10)
    buffer.userData = owner
    try owner.queue.stop(immediately: true)
    #expect(buffer.userData === owner)
    buffer.userData = nil
  }
}
