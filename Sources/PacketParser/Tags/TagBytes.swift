// SPDX-License-Identifier: MIT

/// The content of a tag on its way to a reader: bytes are held until a statement is complete, or
/// skipped. ID3v2's unsynchronisation (ID3v2.3 section 5) is undone.
struct TagBytes {
  /// Stored bytes of the content that are still to come.
  private(set) var left: Int64
  /// Whether a zero after every FF is not part of the content.
  let isUnsynchronised: Bool
  /// Content that was not consumed.
  private(set) var held: [UInt8] = []
  /// Content to skip before anything is held.
  private var toPass: Int64 = 0
  private var lastIsFF = false
  /// Stored bytes to count as content while they are skipped, and their count so far.
  private var toCount: Int64 = 0
  private(set) var counted: Int64 = 0

  init(_ byteCount: Int64, isUnsynchronised: Bool = false) {
    left = byteCount
    self.isUnsynchronised = isUnsynchronised
  }

  /// The most bytes of content that can still come, those held included.
  var remaining: Int64 { Int64(held.count) + left }

  /// Skips content, held or still to come.
  mutating func pass(_ byteCount: Int64) {
    let fromHeld = Int(min(byteCount, Int64(held.count)))
    held.removeFirst(fromHeld)
    toPass = byteCount - Int64(fromHeld)
  }

  /// Skips all held bytes and `byteCount` stored bytes after them, and counts the latter with
  /// unsynchronisation undone.
  mutating func count(_ byteCount: Int64) {
    lastIsFF = held.last == 0xFF
    held.removeAll()
    counted = 0
    toCount = byteCount
  }

  /// Ends the content here and returns the bytes left.
  mutating func end() -> Int64 {
    defer { left = 0 }
    held.removeAll()
    return left
  }

  /// The result of a step.
  enum Progress {
    /// This many stored bytes were consumed, which may be more than were shown, and more are needed.
    case needsMore(Int64)
    /// This many stored bytes were consumed; the wanted bytes are held, or all bytes before the end.
    case holds(Int64)
  }

  /// Continues until `wanted` bytes are held.
  mutating func take(_ bytes: Span<UInt8>, wanted: Int) -> Progress {
    let end = Int(min(Int64(bytes.count), left))
    var place = 0
    if toPass > 0, !isUnsynchronised {
      let passed = min(toPass, left)
      toPass = 0
      guard passed <= Int64(end) else {
        left -= passed
        return .needsMore(passed)
      }
      place = Int(passed)
    }
    while place < end, toPass > 0 || toCount > 0 {
      let byte = bytes[place]
      let isContent = !(lastIsFF && byte == 0)
      lastIsFF = byte == 0xFF
      place += 1
      if toPass > 0 {
        if isContent { toPass -= 1 }
      } else {
        toCount -= 1
        if isContent { counted += 1 }
      }
    }
    if !isUnsynchronised, toCount == 0 { lastIsFF = false }
    while place < end, held.count < wanted {
      let byte = bytes[place]
      if !(isUnsynchronised && lastIsFF && byte == 0) { held.append(byte) }
      lastIsFF = isUnsynchronised && byte == 0xFF
      place += 1
    }
    left -= Int64(place)
    let isDone = held.count >= wanted && toPass == 0 && toCount == 0
    return isDone || left == 0 ? .holds(Int64(place)) : .needsMore(Int64(place))
  }

  /// Returns the bytes with unsynchronisation undone.
  static func resynchronised(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var lastIsFF = false
    for byte in bytes {
      if !(lastIsFF && byte == 0) { result.append(byte) }
      lastIsFF = byte == 0xFF
    }
    return result
  }
}
