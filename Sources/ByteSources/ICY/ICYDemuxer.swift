// SPDX-License-Identifier: MIT

/// Removes the metadata from a station's body, which contains a block of them after each interval of sound. A
/// value without I/O, for one connection.
///
///     interval bytes of sound │ length/16 (1 byte) │ length bytes of text and NULs │ sound …
struct ICYDemuxer: Hashable {
  /// The part of the body to which the next byte belongs.
  private enum Place: Hashable {
    case sound(bytesLeft: Int)
    case length
    case block(bytesLeft: Int)
  }

  private let interval: Int
  private var place: Place
  private var block: [UInt8] = []

  /// Creates a demultiplexer at the start of a body.
  ///
  /// - Parameter interval: the server's `icy-metaint`, at least 1.
  init(interval: Int) {
    precondition(interval > 0, "metadata follows at least one byte of sound")
    self.interval = interval
    place = .sound(bytesLeft: interval)
  }

  /// Takes the next bytes of the body and moves those that are sound to their front.
  ///
  /// - Parameters:
  ///   - bytes: a piece of any size.
  ///   - found: receives each block that ends in the piece, and the number of sound bytes of the piece before
  ///     it. Empty blocks, which mean no change, are left out.
  /// - Returns: the number of bytes of sound.
  mutating func removeMetadata(
    from bytes: inout MutableSpan<UInt8>, found: (_ soundByteCount: Int, _ block: [UInt8]) -> Void
  ) -> Int {
    var read = 0
    var kept = 0
    while read < bytes.count {
      switch place {
      case .sound(let bytesLeft):
        let count = min(bytesLeft, bytes.count - read)
        if kept != read {
          for index in 0..<count { bytes[kept + index] = bytes[read + index] }
        }
        kept += count
        read += count
        place = count == bytesLeft ? .length : .sound(bytesLeft: bytesLeft - count)
      case .length:
        let length = 16 * Int(bytes[read])
        read += 1
        block.removeAll(keepingCapacity: true)
        place = length == 0 ? .sound(bytesLeft: interval) : .block(bytesLeft: length)
      case .block(let bytesLeft):
        let count = min(bytesLeft, bytes.count - read)
        for index in 0..<count { block.append(bytes[read + index]) }
        read += count
        place = .block(bytesLeft: bytesLeft - count)
        if count == bytesLeft {
          found(kept, block)
          place = .sound(bytesLeft: interval)
        }
      }
    }
    return kept
  }
}
