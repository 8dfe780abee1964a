// SPDX-License-Identifier: MIT

import AudioModel

/// A FLAC file (RFC 9639): metadata blocks, then frames. A packet is a frame.
///
/// Frames are found by `FLACFrameSearch`. Their headers are numbered, so that a packet's number and
/// first frame are exact wherever it was found; of variable block sizes only the first frame is.
struct FLACParser: ContainerParser {
  enum State {
    case signature
    case blockHeader
    /// Inside a metadata block, with this many bytes of it left.
    case streamInfo(left: Int64)
    case seekTable(left: Int64)
    case comments(VorbisCommentReader, left: Int64)
    case picture(FLACPictureReader, left: Int64)
    /// The frames begin here.
    case firstFrame
    case frames
    /// Where a frame has ended, and no other begins.
    case boundary
  }

  var facts = StreamFacts()
  var details: StreamDetails
  var descriptions: [AudioStreamPacketDescription] = []

  var state = State.signature
  /// No metadata block follows the one at hand.
  var isLastBlock = false
  var info: FLACStreamInfo?
  var channelMask: UInt32?
  var seekTable = FLACSeekTable()
  let totalByteCount: Int64?

  /// Set once the frames have begun.
  var search: FLACFrameSearch?
  var gap = StreamGap()
  /// Bytes of the gap before the next frame.
  var lostBytes: Int64 = 0
  var numbering = FLACNumbering()
  var index = PacketIndex()
  /// All packets before the next one were seen.
  var isCovering = true
  /// Frames of sound in the packets delivered.
  var framesDelivered: Int64 = 0
  /// The stream was parsed from its beginning without a jump.
  var isUnbroken = true

  init(_ context: ParserContext) {
    details = StreamDetails(context)
    totalByteCount = context.totalByteCount
  }

  mutating func step(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    switch state {
    case .frames: return stepFrames(bytes, at: offset, isEnd: isEnd)
    case .boundary: return stepBoundary(bytes, isEnd: isEnd)
    case .firstFrame: return stepFirstFrame(at: offset)
    default: return try stepMetadata(bytes, at: offset, isEnd: isEnd)
    }
  }

  private mutating func stepFirstFrame(at offset: Int64) -> ParserStep {
    guard let info else { preconditionFailure("frames without their stream's information") }
    facts.fileFormat = .flac
    facts.dataFormat = info.dataFormat
    facts.dataOffset = offset
    facts.packetSizeUpperBound = info.frameByteUpperBound
    facts.statedMaximumPacketSize = info.maximumFrameBytes
    details.magicCookie = info.bytes
    details.channelLayout = info.channelLayout(mask: channelMask)
    numbering.blockSize = info.maximumBlockSize
    numbering.framesPerPacket = Int64(info.framesPerPacket)
    if let frames = info.totalFrames {
      facts.statedFrameCount = frames
      if info.framesPerPacket > 0 {
        let block = Int64(info.framesPerPacket)
        facts.statedPacketCount = (frames + block - 1) / block
      }
      if let totalByteCount, totalByteCount > offset {
        let bits = Double(totalByteCount - offset) * 8
        let rate = bits * Double(info.sampleRate) / Double(frames)
        facts.nominalBitRate = rate < 1e12 ? Int(rate.rounded()) : nil
      }
    }
    search = FLACFrameSearch(info, isTrusted: true)
    state = .frames
    facts.isReady = true
    return .ready
  }
}
