// SPDX-License-Identifier: MIT

import AudioModel

/// A table that is being read.
struct BoxTable {
  enum Kind {
    case durations, chunkRuns, narrowOffsets, wideOffsets
    /// Sizes of 32 bits, and those of `stz2`.
    case sizes, shortSizes, byteSizes
    /// Two sizes of four bits each; with an odd count the last one is unused.
    case halfByteSizes(isOdd: Bool)
    case edits, longEdits
    case segments
    case run(RunDraft)
  }

  var kind: Kind
  var entryBytes: Int
  /// Entries left, by the table's own count.
  var left: Int64
  /// The byte offset at which the box ends.
  var end: Int64

  /// The most entries of a table.
  static let maximumEntries: Int64 = 32 << 20
}

/// Tables are stored as their bytes arrive, so memory grows only with bytes received.
extension MPEG4Parser {
  /// Reads a table's first bytes.
  ///
  /// - Returns: the table and the offset of its entries; nil if there is nothing to read.
  mutating func beginTable(
    _ header: BoxHeader, _ content: Span<UInt8>
  ) throws(AudioFileStreamError) -> (BoxTable, Int)? {
    guard content.count >= 8 else { return nil }
    let count = Int64(content.bigEndian32(at: 4))
    func table(_ kind: BoxTable.Kind, _ entryBytes: Int) -> BoxTable {
      BoxTable(kind: kind, entryBytes: entryBytes, left: count, end: header.end)
    }
    let found: (BoxTable, Int)?
    switch header.type {
    case "stts": found = (table(.durations, 8), 8)
    case "stsc": found = (table(.chunkRuns, 12), 8)
    case "stco": found = (table(.narrowOffsets, 4), 8)
    case "co64": found = (table(.wideOffsets, 8), 8)
    case "elst":
      found = Self.isLong(content) ? (table(.longEdits, 20), 8) : (table(.edits, 12), 8)
    case "stsz", "stz2": found = beginSizes(header, content)
    case "sidx": found = fragments.beginSegments(header, content, track: track)
    case "trun": found = try fragments.beginRun(header, content)
    default: found = nil
    }
    if let found, found.0.left > BoxTable.maximumEntries {
      throw AudioFileStreamError(
        .invalidFile, at: header.start,
        "the table '\(header.type)' of the MPEG-4 file claims to have \(found.0.left) entries")
    }
    return found
  }

  private mutating func beginSizes(
    _ header: BoxHeader, _ content: Span<UInt8>
  ) -> (BoxTable, Int)? {
    guard content.count >= 12, draft.sizes.isEmpty else { return nil }
    let count = Int64(content.bigEndian32(at: 8))
    func table(_ kind: BoxTable.Kind, _ entryBytes: Int, _ left: Int64) -> (BoxTable, Int) {
      (BoxTable(kind: kind, entryBytes: entryBytes, left: left, end: header.end), 12)
    }
    if header.type == "stsz" {
      draft.sizes.uniform = Int(content.bigEndian32(at: 4))
      draft.sizes.uniformCount = count
      return draft.sizes.uniform > 0 ? nil : table(.sizes, 4, count)
    }
    switch content[7] {
    case 4: return table(.halfByteSizes(isOdd: count & 1 == 1), 1, (count + 1) / 2)
    case 8: return table(.byteSizes, 1, count)
    case 16: return table(.shortSizes, 2, count)
    default: return nil
    }
  }

  mutating func stepTable(
    _ table: BoxTable, _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    var table = table
    let room = (table.end - offset) / Int64(table.entryBytes)
    let count = Int(min(Int64(bytes.count / table.entryBytes), min(table.left, room)))
    guard count > 0 else {
      if table.left > 0, room > 0 {
        return isEnd ? try endOfInput(at: offset) : .need(table.entryBytes)
      }
      if case .run(let run) = table.kind { try fragments.endRun(run) }
      phase = .boxes
      if table.end == .max { return .skip(0) }
      return .skip(table.end - offset)
    }
    table.left -= Int64(count)
    let byteCount = count * table.entryBytes
    take(&table, bytes.extracting(0..<byteCount))
    phase = .table(table)
    return .skip(Int64(byteCount))
  }

  /// Reads whole entries.
  private mutating func take(_ table: inout BoxTable, _ bytes: Span<UInt8>) {
    var place = 0
    switch table.kind {
    case .durations:
      while place < bytes.count {
        draft.times.append(
          count: bytes.bigEndian32(at: place), duration: bytes.bigEndian32(at: place + 4))
        place += 8
      }
    case .chunkRuns:
      while place < bytes.count {
        draft.chunks.append(
          firstChunk: bytes.bigEndian32(at: place),
          samplesPerChunk: bytes.bigEndian32(at: place + 4),
          entry: bytes.bigEndian32(at: place + 8))
        place += 12
      }
    case .narrowOffsets:
      while place < bytes.count {
        draft.chunks.append(offset: bytes.bigEndian32(at: place))
        place += 4
      }
    case .wideOffsets:
      while place < bytes.count {
        draft.chunks.append(offset: bytes.bigEndian64(at: place))
        place += 8
      }
    case .sizes:
      while place < bytes.count {
        draft.sizes.append(bytes.bigEndian32(at: place))
        place += 4
      }
    case .shortSizes:
      while place < bytes.count {
        draft.sizes.append(UInt32(bytes.bigEndian16(at: place)))
        place += 2
      }
    case .byteSizes:
      for index in 0..<bytes.count { draft.sizes.append(UInt32(bytes[index])) }
    case .halfByteSizes(let isOdd):
      for index in 0..<bytes.count {
        draft.sizes.append(UInt32(bytes[index] >> 4))
        let isLast = table.left == 0 && index == bytes.count - 1
        if !(isLast && isOdd) { draft.sizes.append(UInt32(bytes[index] & 15)) }
      }
    case .edits:
      while place < bytes.count {
        draft.edits.append(
          duration: UInt64(bytes.bigEndian32(at: place)),
          mediaTime: Int64(Int32(bitPattern: bytes.bigEndian32(at: place + 4))))
        place += 12
      }
    case .longEdits:
      while place < bytes.count {
        draft.edits.append(
          duration: bytes.bigEndian64(at: place),
          mediaTime: Int64(bitPattern: bytes.bigEndian64(at: place + 8)))
        place += 20
      }
    case .segments:
      while place < bytes.count {
        fragments.addSegment(
          bytes.bigEndian32(at: place), duration: bytes.bigEndian32(at: place + 4))
        place += 12
      }
    case .run(var run):
      fragments.addSamples(&run, bytes)
      table.kind = .run(run)
    }
  }
}
