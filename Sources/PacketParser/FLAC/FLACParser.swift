// SPDX-License-Identifier: MIT

import AudioModel

/// A FLAC file (RFC 9639): metadata blocks, then frames. A packet is a frame.
///
/// `FLACFrameSearch` finds the frames. Their headers are numbered, so a packet's number and first frame
/// are exact wherever it was found; with variable block sizes only the first frame is exact. The frames
/// may change their format, with or without another stream's metadata before them: a frame's own header
/// counts.
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
    /// A frame has ended, and no other begins.
    case boundary
  }

  var facts = StreamFacts()
  var details: StreamDetails
  var descriptions: [AudioStreamPacketDescription] = []
  var assembled: [UInt8] = []

  var state = State.signature
  /// Whether the stream information of the current metadata was read.
  var hasStreamInfo = false
  /// The tags of the previous stream.
  var tagsBefore = AudioFileInfo()
  /// Whether the current metadata block is the last one.
  var isLastBlock = false
  /// The stream information that holds for the present frames.
  var info: FLACStreamInfo?
  /// The stream information of the first stream and of the last one.
  var streams: [FLACStreamInfo] = []
  var channelMask: UInt32?
  var seekTable = FLACSeekTable()
  let totalByteCount: Int64?
  /// Steps to return before anything else.
  var notices: [ParserStep] = []

  /// Set once the frames have begun.
  var search: FLACFrameSearch?
  var gap = StreamGap()
  /// Frames to be replaced by silence before anything else is delivered.
  var silence = LostFrames()
  var numbering = FLACNumbering()
  var index = PacketIndex()
  /// The indexed packets that are silence, in order.
  var silentPackets: [Range<Int64>] = []
  /// Whether all packets before the next one were seen.
  var isCovering = true
  /// Whether the last packet has fewer frames than the format states, so that none should follow.
  var hasShortPacket = false
  /// Whether the stream was parsed from its beginning without a jump.
  var isUnbroken = true

  init(_ context: ParserContext) {
    details = StreamDetails(context)
    totalByteCount = context.totalByteCount
  }

  mutating func step(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    if !notices.isEmpty { return notices.removeFirst() }
    switch state {
    case .frames: return stepFrames(bytes, at: offset, isEnd: isEnd)
    case .boundary: return stepBoundary(bytes, isEnd: isEnd)
    case .firstFrame where facts.isReady: return resume()
    case .firstFrame: return stepFirstFrame(bytes, at: offset, isEnd: isEnd)
    default:
      do throws(AudioFileStreamError) {
        return try stepMetadata(bytes, at: offset, isEnd: isEnd)
      } catch {
        guard facts.isReady else { throw error }
        // After the first stream, malformed metadata are ignored.
        search?.passBoundary()
        state = .frames
        return .skip(0)
      }
    }
  }

  /// Reads the first frame's header, which outranks the stream information.
  private mutating func stepFirstFrame(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) -> ParserStep {
    guard var info = streams.first else {
      preconditionFailure("frames without their stream's information")
    }
    let stated = info
    numbering.blockSize = stated.maximumBlockSize
    switch FLACFrameHeader.read(bytes, at: 0, isEnd: isEnd) {
    case .need(let byteCount): return .need(byteCount)
    case .none: break
    case .header(let header):
      if !stated.holds(for: header) { info = FLACStreamInfo(header, stated: stated) }
      numbering.learnBlockSize(from: header)
    }
    self.info = info
    facts.fileFormat = .flac
    facts.dataFormat = info.dataFormat
    facts.dataOffset = offset
    facts.packetSizeUpperBound = info.frameByteUpperBound
    facts.statedMaximumPacketSize = stated.maximumFrameBytes
    details.magicCookie = info.bytes
    details.channelLayout = info.channelLayout(mask: channelMask)
    numbering.framesPerPacket = Int64(info.framesPerPacket)
    if let frames = stated.totalFrames {
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
