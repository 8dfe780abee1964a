// SPDX-License-Identifier: MIT

public import ByteSources

/// Answers to the requests for a file, in order: what goes wrong, and at last what does not, or what ends
/// the file for good.
public struct FaultSequence {
  /// The answers.
  public private(set) var plans: [ResponsePlan] = []
  /// The reasons that the last plan may end the file for, by the byte at which it does; nil when it does not.
  public private(set) var lasting: ((UInt64) -> [ByteSourceError.Reason])?

  private let body: [UInt8]
  private let good: ResponsePlan

  /// A sequence by chance.
  ///
  /// - Parameter type: the media type; nil to say none.
  public init(_ body: [UInt8], type: String? = nil, _ chance: inout SplitMix) {
    self.body = body
    var good = ResponsePlan(fields: [("ETag", "\"v1\"")], body: .bytes(body), ranges: .honoured)
    if let type { good.fields.append(("Content-Type", type)) }
    if Int.random(in: 0..<3, using: &chance) == 0 { good.framing = .chunked }
    // Without a length nothing else says that there are parts.
    if case .contentLength = good.framing, Int.random(in: 0..<4, using: &chance) == 0 {
      good.offersRangesSilently = true
    }
    self.good = good
    var first = good
    // From the very start, all bytes are what is wanted, and nothing could be ignored.
    first.fault = .finish(afterBytes: .random(in: 1...UInt64(body.count), using: &chance))
    plans = [first]
    for _ in 0..<Int.random(in: 0...6, using: &chance) { plans.append(fault(&chance)) }
    end(&chance)
  }

  /// What passes.
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
