// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import Testing

/// Rate, channels, bits and duration, compared with ffprobe's.
@Suite struct StreamFactTests {
  @Test("The format of each file is ffprobe's", arguments: CorpusFile.readable)
  func format(_ file: CorpusFile) throws {
    if file.differences["facts"] != nil { return }
    let outcome = parse(file.bytes)
    let probe = file.probe
    let plain = try #require(outcome.atEnd.dataFormat)
    // ffprobe decodes a little, so it prints HE-AAC's doubled rate and parametric stereo's channels.
    let format = outcome.atEnd.formatList.first?.format ?? plain
    if file.differences["rate"] == nil { #expect(format.sampleRate == probe.number("sample_rate")) }
    if file.differences["channels"] == nil {
      #expect(Double(format.channelsPerFrame) == probe.number("channels"))
    }
    if file.differences["codec"] == nil {
      #expect(codecs(of: format).contains(probe.audio["codec_name"] ?? ""))
    }
    if file.differences["bits"] == nil {
      switch format.formatID {
      case .linearPCM: #expect(Double(format.bitsPerChannel) == probe.number("bits_per_sample"))
      case .flac, .appleLossless:
        if let bits = probe.number("bits_per_raw_sample"), bits > 0 {
          #expect(sourceBits(format.formatFlags).contains(Int(bits)))
        }
      default: #expect(format.bitsPerChannel == 0 || format.bytesPerPacket > 0)
      }
    }
  }

  @Test(
    "The duration of each file is ffprobe's within a millisecond", arguments: CorpusFile.readable)
  func duration(_ file: CorpusFile) throws {
    if file.differences["facts"] != nil || file.differences["duration"] != nil { return }
    let outcome = parse(file.bytes)
    let probe = file.probe
    let duration = try #require(outcome.atEnd.duration)
    #expect(duration.isExact)
    let stated = try #require(probe.number("duration"))
    let (ours, theirs) = comparable(duration, outcome.atEnd, stated, file, probe)
    #expect(abs(ours - theirs) <= 0.001, "\(ours) s, by ffprobe \(theirs) s")
    // An exact duration before the first packet must not be corrected later.
    if let early = outcome.atReady?.duration, early.isExact, file.differences["last"] == nil {
      #expect(early.frames == duration.frames)
    }
  }

  /// Our duration and ffprobe's, both of the same frames.
  private func comparable(
    _ duration: AudioFileStreamDuration, _ facts: Facts, _ stated: Double, _ file: CorpusFile,
    _ probe: Probe
  ) -> (Double, Double) {
    let rate = duration.sampleRate
    let priming = Double(facts.table?.primingFrames ?? 0)
    // A cut file has lost its remainder frames.
    let isWhole = duration.frames == facts.table?.numberValidFrames
    let remainder = isWhole ? Double(facts.table?.remainderFrames ?? 0) : 0
    switch file.group {
    case "mpeg-audio", "adts":
      // Our duration covers the frames of sound. ffprobe's `duration` includes the encoder's delay and
      // padding, and without a tag it is a guess by the first bit rate, so the number of ffprobe's packets
      // is compared instead.
      let packets = probe.packets.count - (file.differences["last"] == nil ? 0 : 1)
      let frames = Double(facts.dataFormat?.framesPerPacket ?? 0) * Double(packets)
      guard let table = facts.table else { return (duration.seconds, frames / rate) }
      // If the padding is shorter than a layer III decoder's delay, the decoder yields fewer frames.
      let (valid, remainder) = (table.numberValidFrames, Int64(table.remainderFrames))
      #expect(duration.frames == valid - max(0, 529 - remainder))
      return (Double(valid + remainder + Int64(table.primingFrames)) / rate, frames / rate)
    case "ogg" where file.differences["links"] != nil:
      let links = file.links.map { parse($0.bytes).atEnd.duration?.frames ?? 0 }
      return (duration.seconds, Double(links.reduce(0, +)) / rate)
    case "ogg":
      // Our duration begins behind Opus's pre-skip (RFC 7845 section 4.2), ffprobe's before it.
      return ((Double(duration.frames) + priming) / rate, stated)
    case "caf":
      // ffprobe adds the packet table's valid, priming and remainder frames.
      return ((Double(duration.frames) + priming + remainder) / rate, stated)
    default: return (duration.seconds, stated)
    }
  }

  /// ffmpeg's names for an encoding.
  private func codecs(of format: AudioStreamBasicDescription) -> [String] {
    switch format.formatID {
    case .linearPCM:
      let kind =
        format.formatFlags.contains(.float)
        ? "f" : format.formatFlags.contains(.signedInteger) ? "s" : "u"
      let bytes = format.bytesPerFrame / max(1, format.channelsPerFrame)
      let order = bytes == 1 ? "" : format.formatFlags.contains(.bigEndian) ? "be" : "le"
      return ["pcm_\(kind)\(bytes * 8)\(order)"]
    case .mpegLayer1: return ["mp1", "mp2", "mp3"]
    case .mpegLayer2: return ["mp2"]
    case .mpegLayer3: return ["mp3"]
    case .mpeg4AAC, .mpeg4HEAAC, .mpeg4HEAACv2: return ["aac"]
    case .appleLossless: return ["alac"]
    case .flac: return ["flac"]
    case .opus: return ["opus"]
    case .vorbis: return ["vorbis"]
    case .appleIMA4: return ["adpcm_ima_qt"]
    case .aLaw: return ["pcm_alaw"]
    case .muLaw: return ["pcm_mulaw"]
    case .ac3: return ["ac3"]
    case .enhancedAC3: return ["eac3"]
    case .microsoftADPCM: return ["adpcm_ms"]
    case .waveIMAADPCM: return ["adpcm_ima_wav"]
    case .microsoftGSM: return ["gsm_ms"]
    default: return []
    }
  }

  /// The bits that the flags of Apple Lossless and FLAC stand for (CoreAudioBaseTypes.h).
  private func sourceBits(_ flags: AudioFormatFlags) -> [Int] {
    switch flags.rawValue {
    case 0: [8, 12]
    case 1: [16]
    case 2: [20]
    case 3: [24]
    case 4: [32]
    default: []
    }
  }
}
