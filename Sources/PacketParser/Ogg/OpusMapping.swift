// SPDX-License-Identifier: MIT

import AudioModel

/// Opus in Ogg (RFC 7845): the identification header, the comments, then packets at 48 kHz.
///
/// ```
/// "OpusHead"  version 8  channels 8  pre-skip 16  input rate 32  gain 16  family 8
///             [streams 8  coupled streams 8  mapping 8 for each channel]
/// ```
struct OpusMapping: OggMapping {
  static let sampleRate = 48_000

  let magicCookie: [UInt8]
  let channelLayout: AudioChannelLayout?
  let packetSizeUpperBound: Int
  let primingFrames: Int64
  private let channels: Int
  /// A reader for the comments; nil after them.
  private var comments: HeaderComments? = HeaderComments(signature: "OpusTags")

  init(_ packet: Span<UInt8>, at offset: Int64) throws(AudioFileStreamError) {
    guard packet.count >= 19, packet[9] > 0 else { throw Self.broken(at: offset) }
    guard packet[8] & 0xF0 == 0 else {
      throw AudioFileStreamError(
        .unsupportedDataFormat, at: offset, "the Opus stream is of a version that is not known here"
      )
    }
    channels = Int(packet[9])
    var streams = 1
    let family = packet[18]
    if family == 0 {
      guard channels <= 2 else { throw Self.broken(at: offset) }
    } else {
      guard packet.count >= 21 + channels, packet[19] > 0, packet[20] <= packet[19],
        Int(packet[19]) + Int(packet[20]) <= 255
      else { throw Self.broken(at: offset) }
      streams = Int(packet[19])
    }
    channelLayout = family <= 1 ? .vorbis(channels: channels) : nil
    magicCookie = (0..<min(packet.count, 21 + 255)).map { packet[$0] }
    // The largest packet of a stream by section 6.
    packetSizeUpperBound = min(streams * 61_440, OggParser.maximumPacketBytes)
    primingFrames = Int64(packet.littleEndian16(at: 10))
  }

  private static func broken(at offset: Int64) -> AudioFileStreamError {
    AudioFileStreamError(
      .invalidFile, at: offset, "the Opus stream's identification header contradicts itself")
  }

  var dataFormat: AudioStreamBasicDescription {
    AudioStreamBasicDescription(
      sampleRate: Double(Self.sampleRate), formatID: .opus, channelsPerFrame: UInt32(channels))
  }

  var isComplete: Bool { comments == nil }

  mutating func readHeader(
    _ bytes: Span<UInt8>, isStart: Bool, isEnd: Bool, at offset: Int64,
    into tags: inout TagCollector
  ) throws(AudioFileStreamError) -> Bool {
    comments?.read(bytes, into: &tags)
    if isEnd {
      guard comments?.isRight == true else {
        throw AudioFileStreamError(
          .invalidFile, at: offset, "the Opus stream has no comment header")
      }
      comments = nil
    }
    return true
  }

  func frames(_ packet: Span<UInt8>) -> Int? { OpusPacket.frames(packet) }
}

/// The comment header of Opus and Vorbis: a signature, then a Vorbis comment block.
struct HeaderComments {
  private let signature: [UInt8]
  private var place = 0
  private var reader = VorbisCommentReader()
  /// Whether the signature was found.
  private(set) var isRight = false

  init(signature: String) {
    self.signature = [UInt8](signature.utf8)
  }

  /// Reads the packet's next bytes.
  mutating func read(_ bytes: Span<UInt8>, into tags: inout TagCollector) {
    var index = 0
    while place < signature.count, index < bytes.count, bytes[index] == signature[place] {
      place += 1
      index += 1
    }
    guard place == signature.count else { return }
    isRight = true
    reader.read(bytes.extracting(index..<bytes.count), into: &tags)
  }
}
