// SPDX-License-Identifier: MIT

import AudioModel

/// The detector until the type of the stream is known, then the parser of that type.
struct SelectedParser {
  /// What a parser that is found is told.
  var context: ParserContext
  private var detector = ContentDetector()
  private var parser: (any ContainerParser)?

  init(hint: AudioFileTypeID?, options: AudioFileStreamOptions) {
    context = ParserContext(hint: hint, canReposition: options.canReposition)
    context.tags.pictureByteLimit = options.pictureByteLimit
  }

  /// What is known of the stream.
  var facts: StreamFacts { parser?.facts ?? StreamFacts() }

  var details: StreamDetails { parser?.details ?? StreamDetails(context) }

  var descriptions: [AudioStreamPacketDescription] { parser?.descriptions ?? [] }

  var assembled: [UInt8] { parser?.assembled ?? [] }

  mutating func step(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    let step =
      parser == nil
      ? try detector.step(bytes, at: offset, isEnd: isEnd, tags: &context.tags)
      : try parser!.step(bytes, at: offset, isEnd: isEnd)
    // Now the type is certain, and its parser has taken what it needs of the tail.
    if case .ready = step { context.tail = [] }
    guard case .detected(let found) = step else { return step }
    context.start = offset
    context.suspicion = detector.suspicion
    parser = found.makeParser(context)
    return .skip(0)
  }

  func seekTarget(packet: Int64) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget {
    guard let parser else { preconditionFailure("a seek before the type is known") }
    return try parser.seekTarget(packet: packet)
  }

  func packet(atByte byteOffset: Int64) -> AudioBytePacketTranslation? {
    parser?.packet(atByte: byteOffset)
  }

  func packet(atFrame frame: Int64) -> AudioFramePacketTranslation? {
    parser?.packet(atFrame: frame)
  }

  func firstFrame(ofPacket packet: Int64) -> Int64? {
    parser?.firstFrame(ofPacket: packet)
  }

  func missingFrameCount(at end: Int64) -> Int64 {
    parser?.missingFrameCount(at: end) ?? 0
  }

  mutating func reposition(to target: AudioFileStreamSeekTarget) {
    parser?.reposition(to: target)
  }

  mutating func loseContinuity(at offset: Int64) throws(AudioFileStreamError) {
    try parser?.loseContinuity(at: offset)
  }
}
