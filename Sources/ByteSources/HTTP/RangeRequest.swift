// SPDX-License-Identifier: MIT

/// A request for the rest of a body from some byte on (RFC 9110, section 14.2), and what an answer
/// has to say so that its bytes may follow those that were read before. A value without I/O.
///
/// An answer with all bytes is never taken for the rest. But it may be read from its start up to where the
/// rest begins, if it is provably the same body, or the server was asked on trial: see ``repeatedBytes(of:)``.
struct RangeRequest: Hashable {
  /// Bytes from the body's first to the first one wanted.
  let byteOffset: UInt64
  /// The head of the first answer, whose body this is a part of.
  let first: HTTPResponse
  /// The bytes before were read, and what follows them is wanted because a connection was lost.
  var isResumption = false
  /// The bytes before were read, and the answer with them was whole, but only a part of the body.
  var followsPart = false
  /// Bytes that may be received again and dropped.
  var repeatedByteLimit: UInt64 = 0

  /// What `If-Range` names, so that a server sends no part of another body (RFC 9110, section
  /// 13.1.5): the entity tag, which must not be a weak one, or else the date.
  var validator: String? {
    if let tag = first.entityTag, !tag.hasPrefix("W/") { return tag }
    return first.lastModified
  }

  /// Why the body of an answer is not the part that was asked for; nil if it is.
  func objection(to answer: HTTPResponse) -> ByteSourceError.Reason? {
    if answer.status == 416 { return .noSuchByte(byteOffset: byteOffset) }
    guard answer.isSuccess else { return nil }
    if isOfAnotherBody(answer) { return .changed }
    guard answer.metadataInterval == nil else { return .wrongRange(byteOffset: byteOffset) }
    guard answer.status == 206 else {
      // All bytes: those that were asked for only if they were all asked for.
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
    // A part may end early (RFC 9110, section 15.3.7): the rest is then requested in turn.
    if let total = first.bodyLength, range.last >= total {
      return .wrongRange(byteOffset: byteOffset)
    }
    if let length = answer.contentLength, length &- 1 != range.last - range.first {
      return .wrongRange(byteOffset: byteOffset)
    }
    return nil
  }

  /// Whether an answer says that nothing is left: the body that was lost had come whole, only its
  /// end had not, or the last part that came was the last one there is.
  func isEnd(_ answer: HTTPResponse) -> Bool {
    guard answer.status == 416 else { return false }
    guard let total = answer.unsatisfiedTotal else { return followsPart }
    return (isResumption || followsPart) && total == byteOffset
  }

  /// How many bytes of an answer with the whole body lie before those that are wanted and can be passed
  /// over; 0 where they cannot. The answer has to be as long as the first one.
  ///
  /// To go on where a connection was lost, only if the same strong entity tag proves that it is the same
  /// body, byte for byte (RFC 9110, section 8.8.1), and up to the limit. To go elsewhere, only if the
  /// server has not offered parts: it was asked on trial.
  func repeatedBytes(of answer: HTTPResponse) -> UInt64 {
    guard answer.status == 200, let length = first.bodyLength, length == answer.contentLength
    else { return 0 }
    guard isResumption else { return first.acceptsByteRanges || followsPart ? 0 : byteOffset }
    guard byteOffset <= repeatedByteLimit,
      let tag = first.entityTag, !tag.hasPrefix("W/"), tag == answer.entityTag
    else { return 0 }
    return byteOffset
  }

  /// Whether the answer's head contradicts the first one's about what the body is.
  private func isOfAnotherBody(_ answer: HTTPResponse) -> Bool {
    func differ<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
      one != nil && other != nil && one != other
    }
    return differ(first.entityTag, answer.entityTag)
      || differ(first.lastModified, answer.lastModified)
      || differ(first.bodyLength, answer.bodyLength)
  }
}

/// What a `Content-Range` field says: `bytes FIRST-LAST/TOTAL` (RFC 9110, section 14.4).
struct ContentRange: Hashable {
  let first: UInt64
  let last: UInt64
  /// Bytes of the whole body; nil where the server wrote `*`.
  let total: UInt64?

  /// The total of `bytes */TOTAL`, which comes with 416; nil for any other value.
  static func unsatisfiedTotal(_ text: String) -> UInt64? {
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count == 2, words[0].lowercased() == "bytes", words[1].hasPrefix("*/") else {
      return nil
    }
    return UInt64(words[1].dropFirst(2))
  }

  /// Reads a field's value; nil for one that is not of this form or contradicts itself.
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
