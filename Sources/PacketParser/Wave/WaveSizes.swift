// SPDX-License-Identifier: MIT

/// The `ds64` chunk of RF64 and BW64 (EBU Tech 3306, ITU-R BS.2088): sizes above 32 bits.
struct WaveSizes {
  /// Bytes of the longest form that is read. Chunks other than the data chunk are hardly ever this
  /// large.
  static let maximumBytes = 28 + 12 * 64

  /// Bytes of the form after its size field; nil if not stated, like the other sizes.
  let form: Int64?
  /// Bytes of the data chunk's content.
  let data: Int64?
  /// Frames, as in the `fact` chunk.
  let frames: Int64?
  private var others: [(id: String, byteCount: Int64)] = []

  /// Reads a chunk's content; nil if it is too short.
  init?(_ chunk: Span<UInt8>) {
    guard chunk.count >= 24 else { return nil }
    form = Self.size(chunk.littleEndian64(at: 0))
    data = Self.size(chunk.littleEndian64(at: 8))
    frames = Self.size(chunk.littleEndian64(at: 16))
    guard chunk.count >= 28 else { return }
    let stated = Int(min(chunk.littleEndian32(at: 24), 64))
    for index in 0..<min(stated, (chunk.count - 28) / 12) {
      let place = 28 + 12 * index
      if let id = ChunkText.identifier(chunk, at: place),
        let size = Self.size(chunk.littleEndian64(at: place + 4))
      {
        others.append((id, size))
      }
    }
  }

  /// Returns the size of a chunk that is neither `ds64` nor `data`.
  func byteCount(of id: String) -> Int64? {
    others.first { $0.id == id }?.byteCount
  }

  /// Returns a size from a file; nil for 0 and for impossible sizes, which are placeholders.
  static func size(_ stated: UInt64) -> Int64? {
    stated == 0 || stated > 1 << 60 ? nil : Int64(stated)
  }
}
