// SPDX-License-Identifier: MIT

import AudioModel
import PlayerEngine
import TestKit
import Testing

/// The engine's decoded sound of each corpus file, compared with other decoders.
@Suite struct DecodeComparisonTests {
  /// Files that other decoders trim less, with the number of frames by which their sound begins earlier.
  private static let extraFramesOfOthers = [
    // ffmpeg ignores the packet table of a Core Audio file.
    "caf-aac.caf": 2112, "caf-aac-mono.caf": 2112,
  ]
  /// Files that cannot be compared, with the reason.
  private static let incomparable = [
    "mp3-garbage.mp3": "mpg123 forgets its bit reservoir at junk, so that it mutes three frames",
    "mp3-tag-between.mp3": "mpg123 takes the tag between the frames for junk",
  ]

  @Test(
    "Each file decodes to other decoders' samples, except the frames that they fail to trim",
    arguments: CorpusFile.readable.filter { incomparable[$0.name] == nil })
  func decode(_ file: CorpusFile) throws {
    let reader = try TrackReader(opening: file.path)
    let stated = try reader.readInformation().dataFormat.formatID
    // GSM and AMR have no decoder.
    guard DecoderChoice(stated) != nil else { return }
    let format = try reader.readDecodedFormat()
    let channels = Int(format.channelsPerFrame)
    let playback = OfflinePlayback(opened: reader, [], rate: format.sampleRate, channels: channels)
    playback.run(period: 4096)
    let ours = playback.sound.interleaved
    // ffmpeg keeps the first decoder for concatenated streams, so each is decoded by itself.
    let parts = file.differences["links"] == nil ? [file] : file.links
    let others = parts.flatMap { reference($0, stated) }
      .dropFirst((Self.extraFramesOfOthers[file.name] ?? 0) * channels)
    let sum = zip(ours, others).reduce(Double(0)) { sum, pair in
      let difference = Double(pair.0) - Double(pair.1)
      return sum + difference * difference
    }
    // -90 dBFS.
    let tolerance = isLossy(stated) ? 3e-5 : 0
    #expect((sum / Double(max(1, ours.count))).squareRoot() <= tolerance)
    // The encoder's padding behind the sound: two packets at most.
    let excess = (others.count - ours.count) / channels
    #expect(!ours.isEmpty)
    #expect(
      excess == 0 || isLossy(stated) && (0...4096).contains(excess)
        // Silence replaces the cut frame.
        || file.name == "flac-cut.flac" && excess < 0,
      "\(ours.count / channels) frames, others have \(excess) more")
  }

  private func isLossy(_ format: AudioFormatID) -> Bool {
    switch format {
    case .linearPCM, .aLaw, .muLaw, .appleIMA4, .waveIMAADPCM, .microsoftADPCM, .flac,
      .appleLossless:
      false
    default: true
    }
  }

  /// The samples of mpg123 for bare MPEG audio, else of ffmpeg, with libopus for Opus.
  private func reference(_ file: CorpusFile, _ format: AudioFormatID) -> [Float] {
    // mpg123 does not recognise a VBRI tag, and plays its frame.
    let isBare = [".mp1", ".mp2", ".mp3"].contains { file.name.hasSuffix($0) }
    if format.isMPEGAudio, isBare, file.name != "mp3-vbri.mp3" {
      return ReferenceDecoder.mpg123(file.path)
    }
    return ReferenceDecoder.ffmpeg(file.path, decoder: format == .opus ? "libopus" : nil)
  }
}
