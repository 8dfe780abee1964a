// SPDX-License-Identifier: MIT

import AudioModel

/// The detector until the type of the stream is known, then the parser of that type.
struct SelectedParser {
  /// The context of the parser to be selected.
  var context: ParserContext
  private var detector = ContentDetector()
  private var parser: (any ContainerParser)?
  /// The check of FLAC frames in other containers.
  var flac = FLACFrameWatch()

  init(hint: AudioFileTypeID?, options: AudioFileStreamOptions) {
    context = ParserContext(hint: hint, canReposition: options.canReposition)
    context.tags.pictureByteLimit = options.pictureByteLimit
  }

  /// The facts known of the stream.
  var facts: StreamFacts {
    var facts = parser?.facts ?? StreamFacts()
    if let change = flac.change {
      let framesPerPacket = facts.dataFormat?.framesPerPacket ?? 0
      facts.dataFormat = change.dataFormat
      facts.dataFormat?.framesPerPacket = framesPerPacket
    }
    return facts
  }

  var details: StreamDetails {
    var details = parser?.details ?? StreamDetails(context)
    if let change = flac.change {
      details.magicCookie = change.bytes
      details.channelLayout = change.channelLayout(mask: nil)
    }
    return details
  }

  var descriptions: [AudioStreamPacketDescription] {
    flac.descriptions ?? parser?.descriptions ?? []
  }

  var assembled: [UInt8] { flac.assembled ?? parser?.assembled ?? [] }

  mutating func step(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    if flac.isNeeded, let step = nextOfRun(bytes) { return step }
    let step =
      parser == nil
      ? try detector.step(bytes, at: offset, isEnd: isEnd, tags: &context.tags)
      : try parser!.step(bytes, at: offset, isEnd: isEnd)
    switch step {
    case .ready:
      // The type is certain now, and its parser has read the tail.
      context.tail = []
      flac.isNeeded = holdsListedFLAC
    case .found(.dataFormat):
      // The container states another format itself.
      flac = FLACFrameWatch()
      flac.isNeeded = holdsListedFLAC
    case .packets(let run): return flac.isNeeded ? watch(run, bytes) : step
    default: break
    }
    guard case .detected(let found) = step else { return step }
    context.start = offset
    context.suspicion = detector.suspicion
    if let former = parser, former.facts.isReady {
      parser = found.makeParser(context, continuing: former)
    } else {
      parser = found.makeParser(context)
    }
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

  func missingFrameCount(at end: Int64, isUnbroken: Bool) -> Int64 {
    parser?.missingFrameCount(at: end, isUnbroken: isUnbroken) ?? 0
  }

  mutating func reposition(to target: AudioFileStreamSeekTarget) {
    flac.forgetRest()
    parser?.reposition(to: target)
  }

  mutating func loseContinuity(at offset: Int64) throws(AudioFileStreamError) {
    flac.forgetRest()
    try parser?.loseContinuity(at: offset)
  }
}
