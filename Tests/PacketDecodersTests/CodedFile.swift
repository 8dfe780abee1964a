// SPDX-License-Identifier: MIT

import AudioModel
import Glibc
import PacketDecoders
import PacketParser
import TestKit
import Testing

/// All packets of a file, and the parameters for a decoder.
struct CodedFile {
  private(set) var stream = CodedStreamDescription(
    format: AudioStreamBasicDescription(sampleRate: 0, formatID: .linearPCM))
  private(set) var info: AudioFilePacketTableInfo?
  var packets: [[UInt8]] = []
  /// Each packet's duration.
  private(set) var frames: [Int] = []

  /// Parses a file.
  init(_ path: String) throws {
    let bytes = contents(ofFile: path)
    try #require(!bytes.isEmpty, "\(path) cannot be read")
    var options = AudioFileStreamOptions()
    options.canReposition = true
    var parser = AudioFileStream(options: options)
    parser.tell(totalByteCount: Int64(bytes.count), tail: bytes.span)
    var collector = Collector()
    while !parser.isFinished {
      let start = Int(parser.nextByteOffset)
      if start >= bytes.count {
        try parser.finish(listener: &collector)
      } else {
        let slice = bytes.span.extracting(start..<min(start + 1 << 15, bytes.count))
        try parser.parse(slice, listener: &collector)
      }
    }
    stream.format = try parser.dataFormat
    stream.layout = try? parser.channelLayout
    stream.magicCookie = (try? parser.magicCookieData) ?? []
    info = try? parser.packetTableInfo
    (packets, frames) = (collector.packets, collector.frames)
  }

  private struct Collector: AudioFileStreamListener {
    var packets: [[UInt8]] = []
    var frames: [Int] = []

    mutating func audioFileStream(
      _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID
    ) {}

    mutating func audioFileStream(
      _ stream: borrowing AudioFileStream, produced packets: AudioFileStreamPackets,
      bytes: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>
    ) {
      let framesPerPacket = (try? stream.dataFormat.framesPerPacket) ?? 0
      for index in 0..<descriptions.count {
        let packet = descriptions[index]
        let start = Int(packet.startOffset)
        self.packets.append((start..<start + Int(packet.dataByteSize)).map { bytes[$0] })
        frames.append(Int(framesPerPacket > 0 ? framesPerPacket : packet.variableFramesInPacket))
      }
    }
  }

  /// The decoded samples of a run of packets.
  struct Decoded {
    var samples: [Float] = []
    var outputs: [AheadDecoderOutput] = []
    /// The index in `samples` at which each packet begins.
    var starts: [Int] = []
    var format: AudioStreamBasicDescription
    var layout: AudioChannelLayout?

    /// The samples of one packet.
    func samples(ofPacket index: Int) -> [Float] {
      Array(samples[starts[index]..<(index + 1 < starts.count ? starts[index + 1] : samples.count)])
    }
  }

  /// Decodes the packets from `first` on with a decoder.
  func decode(with decoder: AheadDecoder, from first: Int = 0) -> Decoded {
    var result = Decoded(format: decoder.outputFormat)
    for index in first..<packets.count {
      result.starts.append(result.samples.count)
      let packet = packets[index]
      result.outputs.append(decoder.decode(packet.span, frameCount: frames[index]))
      let samples = decoder.samples
      unsafe samples.withUnsafeBufferPointer { unsafe result.samples.append(contentsOf: $0) }
    }
    result.format = decoder.outputFormat
    result.layout = decoder.outputLayout
    return result
  }

  /// Decodes all packets.
  func decode() throws -> Decoded {
    decode(with: try AheadDecoder(stream))
  }
}

extension Workshop {
  /// Makes `source.wav`: tones, a sweep and noise, different in each channel, `seconds` long.
  func makeSource(
    layout: String = "stereo", channels: Int = 2, bits: Int = 16, rate: Int = 44_100,
    seconds: Double = 1
  ) throws {
    let sound = (0..<channels).map { channel in
      "0.3*sin(2*PI*\(220 * (channel + 1))*t)+0.2*sin(2*PI*(100+\(400 + 90 * channel)*t)*t)"
        + "+0.1*(random(\(channel))-0.5)"
    }
    try run(
      "ffmpeg -v error -f lavfi -i \"aevalsrc='\(sound.joined(separator: "|"))'"
        + ":c=\(layout):s=\(rate):d=\(seconds)\" -c:a pcm_s\(bits)le source.wav")
  }

  /// ffmpeg's decoded samples of a file, untrimmed.
  func reference(_ name: String) -> [Float] {
    // Only the AC-3 decoders have the last option; others ignore it.
    let options = "-v error -flags2 +skip_manual -cons_noisegen 1"
    return floats(
      ReferenceDecoder.output(
        "ffmpeg \(options) -ignore_editlist 1 -i '\(path(name))' -f f32le - 2>/dev/null "
          + "|| ffmpeg \(options) -i '\(path(name))' -f f32le -"))
  }
}

/// Bytes as 32-bit floats.
func floats(_ bytes: [UInt8]) -> [Float] {
  unsafe bytes.withUnsafeBytes { raw in
    (0..<raw.count / 4).map { unsafe raw.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
  }
}

/// The mean power of the difference in dBFS; -999 if there is none.
func difference(_ one: [Float], _ other: [Float]) -> Double {
  var sum = 0.0
  let count = min(one.count, other.count)
  let (one, other) = (one.span, other.span)
  var index = 0
  while index < count {
    let error = Double(one[index] - other[index])
    sum += error * error
    index += 1
  }
  return sum > 0 ? 10 * log10(sum / Double(count)) : -999
}
