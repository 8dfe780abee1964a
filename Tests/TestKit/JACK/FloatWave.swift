// SPDX-License-Identifier: MIT

/// A WAVE file of 32-bit float samples, read whole.
public struct FloatWave: Sendable {
  /// The error for a file that is not such a WAVE file.
  public struct Failure: Error, CustomStringConvertible {
    /// The reason.
    public var description: String
  }

  /// Frames per second.
  public var sampleRate: Int
  /// The samples of each channel.
  public var channels: [[Float]]

  /// Frames in the file.
  public var frameCount: Int { channels.first?.count ?? 0 }

  /// Reads a file of format 3 (IEEE float), or of format 0xFFFE with that subformat.
  public init(path: String) throws {
    let bytes = contents(ofFile: path)
    func word(_ offset: Int, _ size: Int) -> Int {
      (0..<size).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    func tag(_ offset: Int) -> String {
      String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
    }
    guard bytes.count >= 12, tag(0) == "RIFF", tag(8) == "WAVE" else {
      throw Failure(description: "\(path) is not a WAVE file")
    }
    var format = (tag: 0, channels: 0, rate: 0, bits: 0)
    var offset = 12
    while offset + 8 <= bytes.count {
      let body = offset + 8
      let size = min(word(offset + 4, 4), bytes.count - body)
      if tag(offset) == "fmt ", size >= 16 {
        format = (word(body, 2), word(body + 2, 2), word(body + 4, 4), word(body + 14, 2))
        if format.tag == 0xFFFE, size >= 26 { format.tag = word(body + 24, 2) }
      } else if tag(offset) == "data" {
        guard format.tag == 3, format.bits == 32, format.channels > 0 else {
          throw Failure(description: "\(path) has no 32-bit float samples: \(format)")
        }
        sampleRate = format.rate
        let frames = size / (4 * format.channels)
        channels = (0..<format.channels).map { channel in
          (0..<frames).map { frame in
            Float(bitPattern: UInt32(word(body + 4 * (frame * format.channels + channel), 4)))
          }
        }
        return
      }
      offset = body + size + size % 2
    }
    throw Failure(description: "\(path) has no samples")
  }
}
