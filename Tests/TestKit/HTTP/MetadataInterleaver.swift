// SPDX-License-Identifier: MIT

/// Puts a station's metadata between the bytes of a body, piece by piece.
struct MetadataInterleaver {
  private let metadata: ResponsePlan.Metadata?
  private var bytesToBlock: Int
  private var blockIndex = 0

  /// - Parameter metadata: nil leaves the body as it is.
  init(_ metadata: ResponsePlan.Metadata?) {
    self.metadata = metadata
    bytesToBlock = metadata?.interval ?? 0
  }

  /// Returns the piece with the blocks that are due in and behind it.
  mutating func interleave(_ piece: [UInt8]) -> [UInt8] {
    guard let metadata else { return piece }
    var bytes: [UInt8] = []
    var rest = piece[...]
    while !rest.isEmpty {
      bytes += rest.prefix(bytesToBlock)
      let count = min(bytesToBlock, rest.count)
      rest = rest.dropFirst(count)
      bytesToBlock -= count
      guard bytesToBlock == 0 else { break }
      bytes += Self.block(metadata.text(blockIndex))
      blockIndex += 1
      bytesToBlock = metadata.interval
    }
    return bytes
  }

  /// Returns the text behind its length in units of 16 bytes, padded with NULs.
  private static func block(_ text: [UInt8]) -> [UInt8] {
    let units = (text.count + 15) / 16
    precondition(units < 256, "a block has at most 4080 bytes")
    return [UInt8(units)] + text + [UInt8](repeating: 0, count: 16 * units - text.count)
  }
}
