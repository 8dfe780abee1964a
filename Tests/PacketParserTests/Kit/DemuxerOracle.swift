// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

extension Workshop {
  /// ffprobe's fields for a file and its first audio stream, by name; tags are `TAG:name`.
  func probe(_ name: String) throws -> [String: String] {
    try run("ffprobe -v error -select_streams a:0 -show_streams -show_format \(name) >probed")
    var fields: [String: String] = [:]
    for line in String(decoding: try read("probed"), as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1)
      if parts.count == 2, fields[String(parts[0])] == nil {
        fields[String(parts[0])] = String(parts[1])
      }
    }
    return fields
  }

  /// The packets' bytes as ffmpeg's demuxer finds them.
  func demuxed(_ name: String) throws -> [UInt8] {
    try run("ffmpeg -v error -y -i \(name) -map 0:a:0 -c copy -f data demuxed")
    return try read("demuxed")
  }

  /// Parses a file whose packets have one size, and compares the result with ffmpeg's demuxer.
  ///
  /// - Parameter frames: the expected duration, for files whose duration ffprobe gets wrong.
  @discardableResult
  func checkAgainstDemuxer(_ name: String, frames: Int64? = nil) throws -> Recorder {
    let bytes = try read(name)
    let fields = try probe(name)
    var stream = AudioFileStream()
    let tail = bytes.span.extracting(max(0, bytes.count - 128 << 10)..<bytes.count)
    stream.tell(totalByteCount: Int64(bytes.count), tail: tail)
    let (recorder, error) = parse(bytes, with: &stream)
    #expect(error == nil, "\(name)")
    #expect(recorder.failures == [])
    #expect(recorder.skips == [], "\(name)")
    let format = try stream.dataFormat
    #expect(fields["sample_rate"] == "\(Int(format.sampleRate))", "\(name)")
    #expect(fields["channels"] == "\(format.channelsPerFrame)", "\(name)")
    if format.formatID == .linearPCM {
      #expect(fields["bits_per_sample"] == "\(format.bytesPerFrame / format.channelsPerFrame * 8)")
    }
    let duration = try stream.duration
    if let frames {
      #expect(duration.frames == frames, "\(name)")
    } else {
      #expect(fields["duration_ts"] == "\(duration.frames)", "\(name)")
    }
    // Padding that the writing program counted as sound is not a packet.
    let raw = try demuxed(name)
    #expect(recorder.pcm == Array(raw.prefix(recorder.pcm.count)), "\(name)")
    #expect(raw.count - recorder.pcm.count < max(8, Int(format.bytesPerPacket)), "\(name)")
    if format.formatID == .linearPCM { #expect(raw.count == recorder.pcm.count, "\(name)") }
    #expect(try stream.audioDataPacketCount == recorder.pcmFrames)
    for packet in [0, recorder.pcmFrames / 3, recorder.pcmFrames - 1] where packet >= 0 {
      let target = try stream.seekTarget(packet: packet)
      #expect(target.byteOffset == packet * Int64(format.bytesPerPacket))
      #expect(!target.isEstimated && target.leadingPacketCount == 0)
    }
    return recorder
  }
}

/// Parses an input from a source that can be read anywhere, in the order that the parser asks for.
func parseAnywhere(
  _ bytes: [UInt8], slice: Int = 1 << 20
) -> (recorder: Recorder, error: AudioFileStreamError?) {
  var options = AudioFileStreamOptions()
  options.canReposition = true
  var stream = AudioFileStream(options: options)
  var recorder = Recorder()
  do throws(AudioFileStreamError) {
    for _ in 0..<bytes.count + 100 where !stream.isFinished {
      let place = Int(min(stream.nextByteOffset, Int64(bytes.count)))
      if place == bytes.count {
        try stream.finish(listener: &recorder)
      } else {
        let end = min(bytes.count, place + slice)
        try stream.parse(bytes.span.extracting(place..<end), listener: &recorder)
      }
    }
    return (recorder, nil)
  } catch {
    return (recorder, error)
  }
}
