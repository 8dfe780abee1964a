// SPDX-License-Identifier: MIT

/// A chunk of a WAVE file, by its header.
struct WaveChunk {
  enum Kind {
    case format
    case data
    case fact
    /// `ds64`
    case sizes
    case list
    case id3v2
    case other
  }

  var kind: Kind
  /// The stream offset of the content.
  var start: Int64
  /// Bytes of the content; nil if the file does not state them.
  var byteCount: Int64?
  /// The stream offset of the next chunk.
  var next: Int64?
}

/// The form of chunks: RIFF with 32-bit sizes, or Sony's Wave64.
enum WaveForm {
  case riff
  case wave64

  /// Bytes before the first chunk.
  var headerBytes: Int { self == .riff ? 12 : 40 }
  /// Bytes of a chunk's header.
  var chunkHeaderBytes: Int { self == .riff ? 8 : 24 }

  /// Reads the chunk header at the start of `bytes`, at stream offset `offset`; nil if it is not one.
  ///
  /// - Parameter formEnd: the stream offset of the form's end by its own statement.
  func chunk(
    _ bytes: Span<UInt8>, at offset: Int64, sizes: WaveSizes?, formEnd: Int64?
  ) -> WaveChunk? {
    switch self {
    case .riff: Self.riffChunk(bytes, at: offset, sizes: sizes, formEnd: formEnd)
    case .wave64: Self.wave64Chunk(bytes, at: offset)
    }
  }

  private static func riffChunk(
    _ bytes: Span<UInt8>, at offset: Int64, sizes: WaveSizes?, formEnd: Int64?
  ) -> WaveChunk? {
    guard let id = ChunkText.identifier(bytes, at: 0) else { return nil }
    let kind: WaveChunk.Kind =
      switch id {
      case "fmt ": .format
      case "data": .data
      case "fact": .fact
      case "ds64": .sizes
      case "LIST": .list
      case "id3 ", "ID3 ": .id3v2
      default: .other
      }
    let stated = bytes.littleEndian32(at: 4)
    var byteCount: Int64? = Int64(stated)
    if kind == .data {
      byteCount = dataByteCount(
        stated, sizes: sizes, hasMore: (formEnd ?? 0) > offset + 8)
    } else if stated == UInt32.max, let size = sizes?.byteCount(of: id) {
      byteCount = size
    }
    let start = offset + 8
    return WaveChunk(
      kind: kind, start: start, byteCount: byteCount,
      next: byteCount.map { start + $0 + ($0 & 1) })
  }

  /// Returns the size of the data chunk. Programs that write to a pipe leave a placeholder: 0,
  /// FFFFFFFF, and LAME 7FFFFFFF, SoX 7FFFF000. A size of 0 is true only if the form continues after
  /// the chunk.
  private static func dataByteCount(_ stated: UInt32, sizes: WaveSizes?, hasMore: Bool) -> Int64? {
    switch stated {
    case UInt32.max: sizes?.data
    case 0: hasMore ? 0 : nil
    case 0x7FFF_FFFF, 0x7FFF_F000: nil
    default: Int64(stated)
    }
  }

  /// Reads a Wave64 chunk header: a GUID and a 64-bit size that counts both. Chunks begin at multiples
  /// of eight bytes.
  private static func wave64Chunk(_ bytes: Span<UInt8>, at offset: Int64) -> WaveChunk? {
    var kind = WaveChunk.Kind.other
    if bytes.bigEndian64(at: 4) == 0xF3AC_D311_8CD1_00C0,
      bytes.bigEndian32(at: 12) == 0x4F8E_DB8A
    {
      if bytes.has("fmt ", at: 0) { kind = .format }
      if bytes.has("data", at: 0) { kind = .data }
      if bytes.has("fact", at: 0) { kind = .fact }
    }
    let stated = bytes.littleEndian64(at: 16)
    let start = offset + 24
    guard let size = WaveSizes.size(stated) else {
      // Only the audio may be of unknown size.
      return kind == .data ? WaveChunk(kind: .data, start: start) : nil
    }
    guard size >= 24 else { return nil }
    return WaveChunk(
      kind: kind, start: start, byteCount: size - 24, next: offset + (size + 7) & ~7)
  }
}
