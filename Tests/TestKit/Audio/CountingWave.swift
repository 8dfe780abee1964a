// SPDX-License-Identifier: MIT

/// A WAVE file of any length, made while it is read, in which every frame is its own number: two channels
/// of 24 bits, the number's low 20 bits on the left and the rest on the right.
public struct CountingWave: Sendable {
  /// Frames per second.
  public static let sampleRate = 44100
  /// Bytes of a frame.
  public static let frameBytes = 6
  /// Bytes before the first frame.
  public static let headBytes = 44

  /// Frames in all.
  public let frameCount: Int
  private let head: [UInt8]

  /// A file of this many frames, at most 700 million: the limit of the format.
  public init(frameCount: Int) {
    self.frameCount = frameCount
    let (rate, frame) = (Self.sampleRate, Self.frameBytes)
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    head =
      Array("RIFF".utf8) + little(frameCount * frame + 36, 4) + Array("WAVEfmt ".utf8)
      + little(16, 4) + little(1, 2) + little(2, 2) + little(rate, 4) + little(rate * frame, 4)
      + little(frame, 2) + little(24, 2) + Array("data".utf8) + little(frameCount * frame, 4)
  }

  /// Bytes in all.
  public var byteCount: UInt64 { UInt64(Self.headBytes + frameCount * Self.frameBytes) }

  /// Returns bytes of the file from an offset on.
  public func bytes(at offset: UInt64, _ count: Int) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(count + Self.frameBytes)
    var place = Int(offset)
    while place < Self.headBytes, result.count < count {
      result.append(head[place])
      place += 1
    }
    guard result.count < count else { return result }
    let (first, skipped) = (place - Self.headBytes).quotientAndRemainder(
      dividingBy: Self.frameBytes)
    var frame = first
    // The loop starts with the whole frame; the bytes before the offset are removed afterwards.
    let start = result.count
    while result.count < count + skipped {
      // Two samples of 24 bits.
      var both = UInt64(frame & 0xF_FFFF) | UInt64(frame >> 20) << 24
      for _ in 0..<Self.frameBytes {
        result.append(UInt8(truncatingIfNeeded: both))
        both >>= 8
      }
      frame += 1
    }
    if skipped > 0 { result.removeSubrange(start..<start + skipped) }
    result.removeLast(result.count - count)
    return result
  }

  /// Returns the number of a frame that was rendered at full volume.
  public static func number(_ left: Float, _ right: Float) -> Int {
    let scale = Float(1 << 23)
    return Int((left * scale).rounded()) + Int((right * scale).rounded()) << 20
  }
}
