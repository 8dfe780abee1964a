// SPDX-License-Identifier: MIT

/// A request for the rest of a body from a byte on (RFC 9110, section 14.2), and the conditions under which an
/// answer's bytes may follow those read before. A value without I/O.
///
/// An answer with all bytes never counts as the rest. But it may be read from its start up to the rest, if it
/// is provably the same body, or if the request was a trial: see ``repeatedBytes(of:)``.
struct RangeRequest: Hashable {
  /// The offset of the first requested byte in the body.
  let byteOffset: UInt64
  /// The head of the first answer, to whose body this part belongs.
  let first: HTTPResponse
  /// Whether the bytes before were read, and the rest is requested because a connection was lost.
  var isResumption = false
  /// Whether the bytes before were read, and their answer was complete, but only a part of the body.
  var followsPart = false
  /// The most bytes that may be received again and discarded.
  var repeatedByteLimit: UInt64 = 0

  /// The validator for `If-Range`, so that a server sends no part of another body (RFC 9110, section 13.1.5):
  /// the entity tag, unless it is weak, or else the date.
  var validator: String? {
    if let tag = first.entityTag, !tag.hasPrefix("W/") { return tag }
    return first.lastModified
  }

  /// Returns the reason why an answer's body is not the requested part; nil if it is.
  func objection(to answer: HTTPResponse) -> ByteSourceError.Reason? {
    if answer.status == 416 { return .noSuchByte(byteOffset: byteOffset) }
    guard answer.isSuccess else { return nil }
    if isOfAnotherBody(answer) { return .changed }
    guard answer.metadataInterval == nil else { return .wrongRange(byteOffset: byteOffset) }
    guard answer.status == 206 else {
      // All bytes: the requested ones only if all were requested.
      if byteOffset == 0 { return nil }
      let isWanted = repeatedBytes(of: answer) > 0
      if isWanted, let length = answer.contentLength, byteOffset >= length {
        return .noSuchByte(byteOffset: byteOffset)
      }
      if isWanted { return nil }
      return first.acceptsByteRanges || !isResumption
        ? .wrongRange(byteOffset: byteOffset)
        : .notResumable(receivedBytes: byteOffset, expectedBytes: first.bodyLength)
    }
    guard let range = answer.contentRange, range.first == byteOffset else {
      return .wrongRange(byteOffset: byteOffset)
    }
    // A part may end early (RFC 9110, section 15.3.7): the rest is then requested next.
    if let total = first.bodyLength, range.last >= total {
      return .wrongRange(byteOffset: byteOffset)
    }
    if let length = answer.contentLength, length &- 1 != range.last - range.first {
      return .wrongRange(byteOffset: byteOffset)
    }
    return nil
  }

  /// Returns whether an answer shows that nothing is left: the lost body was complete except for its end, or
  /// the last part received was the final one.
  func isEnd(_ answer: HTTPResponse) -> Bool {
    guard answer.status == 416 else { return false }
    guard let total = answer.unsatisfiedTotal else { return followsPart }
    return (isResumption || followsPart) && total == byteOffset
  }

  /// Returns the number of bytes before the requested ones that may be discarded from an answer with the whole
  /// body; 0 if none may. The answer must be as long as the first one.
  ///
  /// After a lost connection, only if the same strong entity tag proves that it is the same body, byte for byte
  /// (RFC 9110, section 8.8.1), and up to the limit. After a reposition, only if the server has not offered
  /// parts: the request was a trial.
  func repeatedBytes(of answer: HTTPResponse) -> UInt64 {
    guard answer.status == 200, let length = first.bodyLength, length == answer.contentLength
    else { return 0 }
    guard isResumption else { return first.acceptsByteRanges || followsPart ? 0 : byteOffset }
    guard byteOffset <= repeatedByteLimit,
      let tag = first.entityTag, !tag.hasPrefix("W/"), tag == answer.entityTag
    else { return 0 }
    return byteOffset
  }

  /// Returns whether the answer's head contradicts the first one's about the body.
  private func isOfAnotherBody(_ answer: HTTPResponse) -> Bool {
    func differ<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
      one != nil && other != nil && one != other
    }
    return differ(first.entityTag, answer.entityTag)
      || differ(first.lastModified, answer.lastModified)
      || differ(first.bodyLength, answer.bodyLength)
  }
}

/// The value of a `Content-Range` field: `bytes FIRST-LAST/TOTAL` (RFC 9110, section 14.4).
struct ContentRange: Hashable {
  let first: UInt64
  let last: UInt64
  /// Bytes of the whole body; nil for `*`.
  let total: UInt64?

  /// Returns the total of `bytes */TOTAL`, which comes with 416; nil for any other value.
  static func unsatisfiedTotal(_ text: String) -> UInt64? {
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count == 2, words[0].lowercased() == "bytes", words[1].hasPrefix("*/") else {
      return nil
    }
    return UInt64(words[1].dropFirst(2))
  }

  /// Parses a field's value; nil if it is not of this form or contradicts itself.
  init?(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = UInt64(ends[0]), let last = UInt64(ends[1]), first <= last,
      last < .max
    else { return nil }
    self.first = first
    self.last = last
    if parts[1] == "*" {
      total = nil
    } else {
      guard let total = UInt64(parts[1]), last < total else { return nil }
      self.total = total
    }
  }
}
