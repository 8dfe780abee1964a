// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit

/// A packet's byte offset and size, found by this parser or another.
struct PlacedPacket: Equatable {
  var offset: Int64
  var byteCount: Int
}

extension Workshop {
  /// The packets that ffmpeg's demuxer finds.
  func probedPackets(_ name: String) throws -> [PlacedPacket] {
    try run("ffprobe -v error -show_entries packet=pos,size -of csv=p=0 \(name) >packets")
    return String(decoding: try read("packets"), as: UTF8.self).split(separator: "\n").map { line in
      let fields = line.split(separator: ",")
      return PlacedPacket(offset: Int64(fields[1]) ?? -1, byteCount: Int(fields[0]) ?? -1)
    }
  }

  /// One value that ffprobe prints for the stream, or for the file (`format=` instead of `stream=`).
  func probed(_ entry: String, _ name: String) throws -> String {
    try run("ffprobe -v error -show_entries \(entry) -of csv=p=0 \(name) >value")
    return String(String(decoding: try read("value"), as: UTF8.self).prefix { $0 != "\n" })
  }
}

extension Recorder {
  /// The described packets.
  var placedPackets: [PlacedPacket] {
    events.compactMap {
      guard case .packet(_, let offset, let bytes) = $0 else { return nil }
      return PlacedPacket(offset: offset, byteCount: bytes.count)
    }
  }

  /// The described packets' bytes.
  var packets: [[UInt8]] {
    events.compactMap { if case .packet(_, _, let bytes) = $0 { bytes } else { nil } }
  }

  /// The described packets' numbers.
  var packetNumbers: [Int64] {
    events.compactMap { if case .packet(let number, _, _) = $0 { number } else { nil } }
  }
}

extension AudioFileStreamOptions {
  /// Options for a source of which any byte can be read at any time.
  static var repositioning: AudioFileStreamOptions {
    var options = AudioFileStreamOptions()
    options.canReposition = true
    return options
  }
}

/// Parses an input that can be read from any byte offset, in slices of this size.
func parseFromAnywhere(
  _ bytes: [UInt8], sliceBytes: Int, with stream: inout AudioFileStream
) -> (recorder: Recorder, error: AudioFileStreamError?, bytesRead: Int) {
  var recorder = Recorder()
  var bytesRead = 0
  var end = 0
  do throws(AudioFileStreamError) {
    while !stream.isFinished {
      let place = Int(clamping: stream.nextByteOffset)
      if place != end { recorder.restart() }
      if place >= bytes.count {
        stream.tell(totalByteCount: Int64(bytes.count))
        try stream.finish(listener: &recorder)
        continue
      }
      let count = min(sliceBytes, bytes.count - place)
      bytesRead += count
      end = place + count
      try stream.parse(bytes.span.extracting(place..<place + count), listener: &recorder)
    }
    return (recorder, nil, bytesRead)
  } catch {
    return (recorder, error, bytesRead)
  }
}
