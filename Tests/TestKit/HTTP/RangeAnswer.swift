// SPDX-License-Identifier: MIT

/// The part of a body that answers a request's `Range: bytes=FIRST-` (RFC 9110, section 14).
struct RangeAnswer {
  /// The byte offset in the body at which the answer begins, and the one at which it ends.
  private(set) var byteOffset: UInt64 = 0
  private(set) var endOffset: UInt64
  /// The status line instead of the plan's.
  private(set) var statusLine: String?
  /// Further fields.
  private(set) var fields: [(name: String, value: String)] = []
  /// Whether the range is beyond the body, so that no body is sent.
  private(set) var isRefusal = false

  init(_ request: LoopbackHTTPServer.Request, _ plan: ResponsePlan, byteCount: UInt64) {
    endOffset = byteCount
    if case .notOffered = plan.ranges { return }
    if !plan.offersRangesSilently { fields.append(("Accept-Ranges", "bytes")) }
    guard let first = Self.firstByte(request) else { return }
    switch plan.ranges {
    case .notOffered, .ignored: return
    case .honoured:
      if let condition = request.fields["if-range"] {
        let isSame = plan.fields.contains { name, value in
          ["etag", "last-modified"].contains(name.lowercased()) && value == condition
        }
        guard isSame else { return }
      }
      guard first < byteCount else {
        isRefusal = true
        statusLine = "HTTP/1.1 416 Range Not Satisfiable"
        fields.append(("Content-Range", "bytes */\(byteCount)"))
        return
      }
      endOffset = min(byteCount, first + (plan.maximumPartBytes ?? byteCount))
      fields.append(("Content-Range", "bytes \(first)-\(endOffset - 1)/\(byteCount)"))
    case .mislabelled(let contentRange):
      if let contentRange { fields.append(("Content-Range", contentRange)) }
    }
    statusLine = "HTTP/1.1 206 Partial Content"
    byteOffset = min(first, byteCount)
  }

  /// Returns the first byte of a range that extends to the end; nil for any other form.
  private static func firstByte(_ request: LoopbackHTTPServer.Request) -> UInt64? {
    guard let range = request.fields["range"], range.hasPrefix("bytes="), range.hasSuffix("-")
    else { return nil }
    return UInt64(range.dropFirst(6).dropLast())
  }
}
