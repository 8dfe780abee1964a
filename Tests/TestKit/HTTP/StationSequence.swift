// SPDX-License-Identifier: MIT

public import ByteSources

/// Answers to the requests for a station's sound, in order, and the expected sound and metadata.
public struct StationSequence {
  /// The answers; the last one ends the station for good.
  public private(set) var plans: [ResponsePlan] = []
  /// Bytes of sound between two blocks of metadata.
  public let interval: Int
  /// The sound that each connection delivers.
  public private(set) var stretches: [[UInt8]] = []
  /// The expected metadata, each with the byte offset at which it begins.
  public private(set) var said: [StreamMetadata] = []

  /// A random sequence.
  ///
  /// - Parameters:
  ///   - type: the media type.
  ///   - sound: makes the sound that a connection would deliver without a cut.
  public init(
    type: String, _ chance: inout SplitMix, sound makeSound: (inout SplitMix) -> [UInt8]
  ) {
    interval = Int.random(in: 1...(Bool.random(using: &chance) ? 64 : 16_000), using: &chance)
    let isOwnProtocol = Bool.random(using: &chance)
    var last: String?
    var soundBytes = 0
    for _ in 0..<Int.random(in: 1...5, using: &chance) {
      let sound = makeSound(&chance)
      let titles = (0..<8).map { _ in Self.title(&chance) }
      var plan = ResponsePlan(
        statusLine: isOwnProtocol ? "ICY 200 OK" : "HTTP/1.1 200 OK",
        fields: [("Content-Type", type), ("icy-name", "Sender")], body: .bytes(sound),
        framing: isOwnProtocol || Bool.random(using: &chance) ? .untilClose : .chunked)
      plan.metadata = ResponsePlan.Metadata(interval: interval) { index in
        titles[index % 8].map { Array("StreamTitle='\($0)';".utf8) } ?? []
      }
      let cut = Int.random(in: 0...(2 * sound.count), using: &chance)
      plan.fault = .finish(afterBytes: UInt64(cut))
      plans.append(plan)
      // The sound before the cut, counted block by block.
      var (sent, heard, index) = (0, 0, 0)
      while heard < sound.count, sent < cut {
        let count = min(interval, sound.count - heard, cut - sent)
        heard += count
        sent += count
        guard count == interval else { break }
        let title = titles[index % 8]
        let text = title.map { "StreamTitle='\($0)';".utf8.count } ?? 0
        sent += 1 + (text + 15) / 16 * 16
        index += 1
        guard sent <= cut, let title, title != last else { continue }
        last = title
        said.append(StreamMetadata(byteOffset: UInt64(soundBytes + heard), title: title))
      }
      if heard > 0 { stretches.append(Array(sound[..<heard])) }
      soundBytes += heard
      for _ in 0..<Int.random(in: 0...2, using: &chance) { plans.append(Self.absence(&chance)) }
    }
    if stretches.isEmpty { stretches = [[]] }
    plans.append(.status(403, "Forbidden"))
  }

  /// Returns an answer of a station that is away.
  private static func absence(_ chance: inout SplitMix) -> ResponsePlan {
    switch Int.random(in: 0..<6, using: &chance) {
    case 0: ResponsePlan(statusLine: "HTTP/1.1 204 No Content", framing: .untilClose)
    case 1: ResponsePlan(fields: [("Content-Type", "audio/mpeg")])
    case 2:
      ResponsePlan(
        fields: [("Content-Type", "text/html")],
        body: .bytes(Array("<!DOCTYPE html><html><body>Later</body></html>".utf8)))
    default: .status([404, 500, 503].randomElement(using: &chance)!, "No")
    }
  }

  /// Returns a title with typical characters, or nil for a block of length 0.
  private static func title(_ chance: inout SplitMix) -> String? {
    guard Int.random(in: 0..<4, using: &chance) > 0 else { return nil }
    let letters = Array("abc '&=;é☃")
    let title = (0..<Int.random(in: 1...60, using: &chance)).map { _ in
      String(letters.randomElement(using: &chance)!)
    }.joined()
    return title.contains("';") ? "a" : title
  }
}
