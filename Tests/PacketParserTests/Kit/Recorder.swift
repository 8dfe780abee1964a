// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit

/// Records all reports of a parser, packet by packet.
struct Recorder: AudioFileStreamListener {
  enum Event: Equatable {
    case property(AudioFileStreamPropertyID, String)
    case packet(index: Int64, offset: Int64, bytes: [UInt8])
    /// A packet's time, recorded after the packet: its own frame count when packets differ in duration,
    /// and its first frame where the container states it.
    case time(firstFrame: Int64?, frames: UInt32)
    case skipped(byteCount: Int64, offset: Int64)
  }

  var events: [Event] = []
  /// The missing parts, in order.
  var gaps: [AudioFileStreamGap] = []
  /// All bytes of constant-size packets, and the numbers they had.
  var pcm: [UInt8] = []
  var pcmFrames: Int64 = 0
  /// The format of each packet with a description.
  var packetFormats: [AudioStreamBasicDescription] = []
  var calls = 0
  var inPlaceCalls = 0
  var failures: [String] = []
  /// The range of frames that are sound, from each call.
  var soundFrames: [Range<Int64>?] = []
  /// The lowest byte offset allowed for the next packet.
  private var end: Int64 = 0

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID
  ) {
    if property == .readyToProducePackets, !stream.isReadyToProducePackets {
      failures.append("ready is told, but not set")
    }
    events.append(.property(property, describe(stream, property)))
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, skipped gap: AudioFileStreamGap
  ) {
    events.append(.skipped(byteCount: gap.byteCount, offset: gap.byteOffset))
    gaps.append(gap)
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, produced packets: AudioFileStreamPackets,
    bytes: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>
  ) {
    calls += 1
    soundFrames.append(packets.soundFrames)
    if !stream.isReadyToProducePackets { failures.append("packets before ready") }
    if packets.packetCount < 1 { failures.append("a call without packets") }
    // Ogg's packets are joined from pages: their bytes need not be contiguous in the file.
    let isJoined = (try? stream.fileFormat) == .ogg
    if packets.byteOffset < end, !isJoined {
      failures.append("packets overlap at \(packets.byteOffset)")
    }
    end = packets.byteOffset + Int64(bytes.count)
    guard !descriptions.isEmpty else {
      if packets.firstPacketIndex != pcmFrames { failures.append("frames are out of order") }
      pcmFrames += Int64(packets.packetCount)
      for index in 0..<bytes.count { pcm.append(bytes[index]) }
      return
    }
    if descriptions.count != packets.packetCount { failures.append("descriptions are missing") }
    let format = try? stream.dataFormat
    let framesPerPacket = Int64(format?.framesPerPacket ?? 0)
    if let format {
      packetFormats += [AudioStreamBasicDescription](repeating: format, count: descriptions.count)
    }
    var frame = packets.firstFrame
    for index in 0..<descriptions.count {
      let description = descriptions[index]
      let start = Int(description.startOffset)
      let packet = (start..<start + Int(description.dataByteSize)).map { bytes[$0] }
      events.append(
        .packet(
          index: packets.firstPacketIndex + Int64(index),
          offset: packets.byteOffset + description.startOffset, bytes: packet))
      let frames = description.variableFramesInPacket
      if frame != nil || frames > 0 { events.append(.time(firstFrame: frame, frames: frames)) }
      frame? += framesPerPacket > 0 ? framesPerPacket : Int64(frames)
    }
  }

  /// Allows the next packet to lie before the last one, as after a seek.
  mutating func restart() { end = 0 }

  var packetCount: Int {
    events.count { if case .packet = $0 { true } else { false } }
  }

  var packetOffsets: [Int64] {
    events.compactMap { if case .packet(_, let offset, _) = $0 { offset } else { nil } }
  }

  var properties: [String] {
    events.compactMap { if case .property(let id, _) = $0 { id.description } else { nil } }
  }

  /// The skipped parts that have bytes; frames that are missing at the stream's end have none.
  var skips: [Event] {
    events.filter { if case .skipped(let byteCount, _) = $0 { byteCount > 0 } else { false } }
  }

  func value(_ id: AudioFileStreamPropertyID) -> String? {
    for case .property(let found, let value) in events where found == id { return value }
    return nil
  }
}

/// A property's value as text.
func describe(
  _ stream: borrowing AudioFileStream, _ property: AudioFileStreamPropertyID
) -> String {
  do {
    return switch property {
    case .fileFormat: try stream.fileFormat.description
    case .dataFormat: "\(try stream.dataFormat)"
    case .audioDataByteCount: "\(try stream.audioDataByteCount)"
    case .audioDataPacketCount: "\(try stream.audioDataPacketCount)"
    case .maximumPacketSize: "\(try stream.maximumPacketSize)"
    case .dataOffset: "\(try stream.dataOffset)"
    case .channelLayout: (try stream.channelLayout.bitmap).map { "\($0.rawValue)" } ?? "none"
    case .packetTableInfo: "\(try stream.packetTableInfo)"
    case .packetSizeUpperBound: "\(try stream.packetSizeUpperBound)"
    case .formatList: "\(try stream.formatList)"
    case .magicCookieData: "\(try stream.magicCookieData)"
    case .infoDictionary: "\(try stream.infoDictionary)"
    case .bitRate: "\(try stream.bitRate)"
    default: "\(stream.isReadyToProducePackets)"
    }
  } catch {
    return "\(error)"
  }
}

/// The result of parsing a whole input.
struct Outcome: Equatable {
  var events: [Recorder.Event]
  var pcm: [UInt8]
  var error: AudioFileStreamError?
}

/// The way an input is sliced for the parser.
enum Slicing {
  case whole
  case pieces(Int)
  case splitAt(Int)
  case random(seed: UInt64)
}

/// Parses a whole input.
func parse(
  _ bytes: [UInt8], _ slicing: Slicing = .whole, hint: AudioFileTypeID? = nil,
  totalByteCount: Int64? = nil
) -> (recorder: Recorder, error: AudioFileStreamError?) {
  var stream = AudioFileStream(hint: hint)
  if let totalByteCount { stream.tell(totalByteCount: totalByteCount) }
  return parse(bytes, slicing, with: &stream)
}

func parse(
  _ bytes: [UInt8], _ slicing: Slicing = .whole, with stream: inout AudioFileStream
) -> (recorder: Recorder, error: AudioFileStreamError?) {
  var recorder = Recorder()
  var random = SplitMix(state: 0)
  if case .random(let seed) = slicing { random = SplitMix(state: seed) }
  var place = 0
  do throws(AudioFileStreamError) {
    while place < bytes.count {
      let left = bytes.count - place
      let size =
        switch slicing {
        case .whole: left
        case .pieces(let size): min(size, left)
        case .splitAt(let split): place < split ? min(split, left) : left
        case .random: min(left, Int(random.next() % (random.next() % 4 == 0 ? 5000 : 40)))
        }
      try stream.parse(bytes.span.extracting(place..<place + size), listener: &recorder)
      place += size
    }
    try stream.finish(listener: &recorder)
    return (recorder, nil)
  } catch {
    return (recorder, error)
  }
}

func outcome(
  _ bytes: [UInt8], _ slicing: Slicing, hint: AudioFileTypeID? = nil
) -> Outcome {
  let (recorder, error) = parse(bytes, slicing, hint: hint)
  let failures = recorder.failures.map { _ in
    Recorder.Event.property(.readyToProducePackets, "broken rule")
  }
  return Outcome(events: recorder.events + failures, pcm: recorder.pcm, error: error)
}
