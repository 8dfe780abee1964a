// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit

/// The way a file's bytes are fed to the parser.
struct Feed: Sendable {
  enum Pieces: Sendable, Equatable {
    case whole
    case of(Int)
    case random(seed: UInt64)
  }

  /// Whether the input is a file: its length and end are known, and any byte can be read.
  var isFile = true
  var pieces = Pieces.whole
  /// Whether the packets' bytes and the properties' values are recorded, besides the packets' offsets.
  var looksAtBytes = true
}

/// A stream's own properties.
struct Facts {
  var fileFormat: AudioFileTypeID?
  var dataFormat: AudioStreamBasicDescription?
  var formatList: [AudioFormatListItem] = []
  var duration: AudioFileStreamDuration?
  var table: AudioFilePacketTableInfo?
  var dataOffset: Int64?
  var byteCount: Int64?
  var packetCount: Int64?
  var info: AudioFileInfo?

  init(_ stream: borrowing AudioFileStream) {
    fileFormat = try? stream.fileFormat
    dataFormat = try? stream.dataFormat
    formatList = (try? stream.formatList) ?? []
    duration = try? stream.duration
    table = try? stream.packetTableInfo
    dataOffset = try? stream.dataOffset
    byteCount = try? stream.audioDataByteCount
    packetCount = try? stream.audioDataPacketCount
    info = try? stream.infoDictionary
  }
}

/// The result of a parse.
struct Outcome {
  var log: StreamLog
  var error: AudioFileStreamError?
  /// The properties when the stream became ready; nil if it never did.
  var atReady: Facts?
  var atEnd: Facts
  /// Whether the parser took more steps than any input needs.
  var isEndless = false
}

/// Parses a file's bytes to their end.
func parse(_ bytes: [UInt8], _ feed: Feed = Feed()) -> Outcome {
  parse(bytes.span, feed)
}

func parse(_ bytes: Span<UInt8>, _ feed: Feed = Feed()) -> Outcome {
  var options = AudioFileStreamOptions()
  options.canReposition = feed.isFile
  var stream = AudioFileStream(options: options)
  if feed.isFile {
    let tail = bytes.extracting(max(0, bytes.count - (128 << 10))..<bytes.count)
    stream.tell(totalByteCount: Int64(bytes.count), tail: tail)
  }
  var log = StreamLog()
  log.looksAtBytes = feed.looksAtBytes
  var atReady: Facts?
  var random = SplitMix(state: 0)
  if case .random(let seed) = feed.pieces { random = SplitMix(state: seed) }
  var place: Int64 = 0
  // A parser repositions a few times for its index, and once for each chunk; never without end.
  var turns = 1000 + 4 * bytes.count
  do throws(AudioFileStreamError) {
    while !stream.isFinished {
      turns -= 1
      if turns == 0 {
        return Outcome(log: log, atReady: atReady, atEnd: Facts(stream), isEndless: true)
      }
      if feed.isFile { place = stream.nextByteOffset }
      let left = bytes.count - Int(min(Int64(bytes.count), place))
      if left == 0 {
        try stream.finish(listener: &log)
        if !feed.isFile { break }
        continue
      }
      let size =
        switch feed.pieces {
        case .whole: left
        case .of(let size): min(size, left)
        case .random: min(left, Int(random.next() % (random.next() % 4 == 0 ? 5000 : 40)) + 1)
        }
      let start = Int(place)
      try stream.parse(bytes.extracting(start..<start + size), listener: &log)
      place += Int64(size)
      if atReady == nil, stream.isReadyToProducePackets { atReady = Facts(stream) }
    }
    if atReady == nil, stream.isReadyToProducePackets { atReady = Facts(stream) }
    return Outcome(log: log, atReady: atReady, atEnd: Facts(stream))
  } catch {
    return Outcome(log: log, error: error, atReady: atReady, atEnd: Facts(stream))
  }
}
