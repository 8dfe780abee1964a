// SPDX-License-Identifier: MIT

public import ByteSources

/// Answers to the requests for a file, in order: passing faults, then either the file or a fault that lasts.
public struct FaultSequence {
  /// The answers.
  public private(set) var plans: [ResponsePlan] = []
  /// The errors that the last answer may cause, by the byte offset at which the source fails; nil if it
  /// causes none.
  public private(set) var lasting: ((UInt64) -> [ByteSourceError.Reason])?

  private let body: [UInt8]
  private let good: ResponsePlan

  /// A random sequence.
  ///
  /// - Parameter type: the media type; nil to send none.
  public init(_ body: [UInt8], type: String? = nil, _ chance: inout SplitMix) {
    self.body = body
    var good = ResponsePlan(fields: [("ETag", "\"v1\"")], body: .bytes(body), ranges: .honoured)
    if let type { good.fields.append(("Content-Type", type)) }
    if Int.random(in: 0..<3, using: &chance) == 0 { good.framing = .chunked }
    // In a chunked answer this field is the only sign that the server has ranges.
    if case .contentLength = good.framing, Int.random(in: 0..<4, using: &chance) == 0 {
      good.offersRangesSilently = true
    }
    self.good = good
    var first = good
    // At byte 0 the whole file is the right answer to any range, so a lasting fault would not show.
    first.fault = .finish(afterBytes: .random(in: 1...UInt64(body.count), using: &chance))
    plans = [first]
    for _ in 0..<Int.random(in: 0...6, using: &chance) { plans.append(fault(&chance)) }
    end(&chance)
  }

  /// Returns an answer whose fault is over with the next request.
  private func fault(_ chance: inout SplitMix) -> ResponsePlan {
    let place = 0...UInt64(body.count)
    var plan = good
    switch Int.random(in: 0..<18, using: &chance) {
    case 0...3: plan.fault = .finish(afterBytes: .random(in: place, using: &chance))
    case 4, 5: plan.fault = .reset(afterBytes: .random(in: place, using: &chance))
    case 6: plan.fault = .stall(afterBytes: .random(in: place, using: &chance))
    case 7: plan = .status([500, 502, 503, 504, 429, 408].randomElement(using: &chance)!, "No")
    case 8: plan = .unavailable(retryAfter: "\(Int.random(in: 0...100, using: &chance))")
    case 9:
      plan = ResponsePlan(statusLine: "HTP/1.1 2OO", body: .bytes(body), framing: .untilClose)
    case 10: plan = ResponsePlan(statusLine: nil, framing: .untilClose)
    case 11:
      plan.fields.append(("X-Filler", String(repeating: "x", count: 1000)))
      plan.headBytesPerSecond = 100_000
      plan.fault = .finish(afterBytes: .random(in: place, using: &chance))
    case 12:
      plan.fields += (0..<40).map { ("X-Filler-\($0)", String(repeating: "x", count: 8000)) }
    case 13, 14: plan.fault = .finishInHead(afterBytes: .random(in: 0...150, using: &chance))
    default: plan.maximumPartBytes = .random(in: 1...UInt64(body.count), using: &chance)
    }
    return plan
  }

  private mutating func end(_ chance: inout SplitMix) {
    var last = good
    switch Int.random(in: 0..<8, using: &chance) {
    case 0:
      let status = [400, 401, 403, 404, 410].randomElement(using: &chance)!
      last = .status(status, "No")
      lasting = { _ in [.status(status)] }
    case 1:
      last.fields[0] = ("ETag", "\"v2\"")
      lasting = { _ in [.changed] }
    case 2:
      last.ranges = .mislabelled(contentRange: nil)
      lasting = { [.wrongRange(byteOffset: $0)] }
    case 3:
      last.ranges = .ignored
      last.fields.removeFirst()
      let count = UInt64(body.count)
      lasting = {
        [.wrongRange(byteOffset: $0), .notResumable(receivedBytes: $0, expectedBytes: count)]
      }
    default: break
    }
    plans.append(last)
  }
}
