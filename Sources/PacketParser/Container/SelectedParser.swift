// SPDX-License-Identifier: MIT

import AudioModel

/// The detector until the type of the stream is known, then the parser of that type.
struct SelectedParser {
  private let hint: AudioFileTypeID?
  private(set) var container: Container?
  private var detector = ContentDetector()
  private(set) var mpegAudio: MPEGAudioParser
  private var wave = WaveParser()
  private let noDescriptions: [AudioStreamPacketDescription] = []

  init(hint: AudioFileTypeID?) {
    self.hint = hint
    mpegAudio = MPEGAudioParser(start: 0, hint: hint, suspicion: nil)
  }

  /// What is known of the stream.
  var facts: StreamFacts {
    switch container {
    case .mpegAudio: mpegAudio.facts
    case .wave: wave.facts
    case nil: StreamFacts()
    }
  }

  /// Whether packets were delivered.
  var hasProduced: Bool {
    switch container {
    case .mpegAudio: mpegAudio.facts.packetsSeen > 0
    case .wave: wave.facts.packetsSeen > 0
    case nil: false
    }
  }

  /// Descriptions of the packets of the last step; none when they have one size.
  var descriptions: [AudioStreamPacketDescription] {
    container == .mpegAudio ? mpegAudio.descriptions : noDescriptions
  }

  mutating func step(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    switch container {
    case .mpegAudio: return try mpegAudio.step(bytes, at: offset, isEnd: isEnd)
    case .wave: return try wave.step(bytes, at: offset, isEnd: isEnd)
    case nil: break
    }
    let step = try detector.step(bytes, at: offset, isEnd: isEnd)
    guard case .detected(let found) = step else { return step }
    container = found
    if found == .mpegAudio {
      mpegAudio = MPEGAudioParser(start: offset, hint: hint, suspicion: detector.suspicion)
    }
    return .skip(0)
  }

  func seekTarget(packet: Int64) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget {
    switch container {
    case .mpegAudio: try mpegAudio.seekTarget(packet: packet)
    case .wave, nil: wave.seekTarget(packet: packet)
    }
  }

  mutating func reposition(to target: AudioFileStreamSeekTarget) {
    switch container {
    case .mpegAudio: mpegAudio.reposition(to: target)
    case .wave, nil: wave.reposition(to: target)
    }
  }

  mutating func loseContinuity(at offset: Int64) throws(AudioFileStreamError) {
    switch container {
    case .mpegAudio: mpegAudio.loseContinuity(at: offset)
    case .wave, nil: try wave.loseContinuity(at: offset)
    }
  }
}
