// SPDX-License-Identifier: MIT

/// Numbers packets, and the frames of sound they begin with, by what the frames' headers say.
///
/// A stream that is joined midway begins with frame 0 here, whatever number it has. Where numbers do
/// not go on as they should, bytes have been lost, or the stream is put together from several; only a
/// loss makes numbers that are left out believed.
struct FLACNumbering {
  /// Frames of sound in a block, unless the headers say more.
  var blockSize = 0
  /// `blockSize` comes from a header.
  private var hasSeenBlockSize = false
  /// The same if all packets have as many; 0 otherwise.
  var framesPerPacket: Int64 = 0
  /// The next packet's number.
  private(set) var nextPacket: Int64 = 0
  /// The frame of sound that the next packet begins with; nil behind a jump.
  private(set) var nextFrame: Int64? = 0
  /// The numbers went on so far as those of one stream do.
  private(set) var isOneStream = true
  /// What the headers' count has to be lessened by; nil before the first frame.
  private var base: Int64?
  /// The frame that was taken in last, if the next one follows it.
  private var last: FLACFrameHeader?

  /// Frames of sound that are missing before a frame, by the numbers.
  ///
  /// - Parameters:
  ///   - lostBytes: bytes before it that belong to no whole frame.
  ///   - broken: a frame among these, which counts where the numbers begin anew.
  mutating func framesLost(
    before header: FLACFrameHeader, lostBytes: Int64, broken: FLACFrameHeader?
  ) -> Int64 {
    learnBlockSize(from: header)
    guard let nextFrame, lostBytes > 0, !isNext(header) else { return 0 }
    let frame = header.firstFrame(blockSize: blockSize) - (base ?? 0)
    if frame == nextFrame { return 0 }
    let mostLost = lostBytes / Int64(FLACFrameHeader.minimumFrameBytes) + 1
    if frame > nextFrame, (frame - nextFrame) / Int64(max(header.blockSize, blockSize)) <= mostLost
    {
      return frame - nextFrame
    }
    return base != nil ? Int64(broken?.blockSize ?? 0) : 0
  }

  /// Takes the first header's block size as that of all blocks, until two frames in a row show another.
  mutating func learnBlockSize(from header: FLACFrameHeader) {
    if hasSeenBlockSize || header.isVariable { return }
    blockSize = header.blockSize
    hasSeenBlockSize = true
  }

  /// Takes in a frame, with what was lost before it passed; the answer is the frame of sound that it
  /// begins with.
  mutating func add(_ header: FLACFrameHeader) -> Int64 {
    if isNext(header), let last, !header.isVariable { blockSize = last.blockSize }
    learnBlockSize(from: header)
    let stated = header.firstFrame(blockSize: blockSize)
    let frame = nextFrame ?? max(0, stated - (base ?? 0))
    if let base, nextFrame != nil, stated - base != frame, !isNext(header) { isOneStream = false }
    base = stated - frame
    if framesPerPacket > 0, frame != nextFrame { nextPacket = frame / framesPerPacket }
    last = header
    nextPacket += 1
    nextFrame = frame + Int64(header.blockSize)
    return frame
  }

  /// Passes silence in the place of lost frames.
  mutating func pass(silence frames: Int64) {
    nextPacket += 1
    nextFrame? += frames
    last = nil
  }

  /// Whether a frame follows the last one by its number.
  private func isNext(_ header: FLACFrameHeader) -> Bool {
    guard let last, last.isVariable == header.isVariable else { return false }
    return header.number == last.number + (header.isVariable ? Int64(last.blockSize) : 1)
  }

  /// Goes on elsewhere.
  ///
  /// - Parameter frame: the frame that the packet begins with, if that is certain; else its header
  ///   tells, and with it the packet's number where packets have one duration.
  mutating func jump(to packet: Int64, frame: Int64? = nil) {
    nextPacket = packet
    nextFrame = frame
    last = nil
    // Where streams were put together, the count there may be another than here.
    if frame != nil { base = nil }
  }

  /// Goes on at an unknown place.
  mutating func jump() {
    nextFrame = nil
    last = nil
  }

  /// The first packet at a frame of the headers' count, when all packets have as many frames.
  func packet(atStatedFrame frame: Int64) -> Int64? {
    framesPerPacket > 0 ? (frame - (base ?? 0)) / framesPerPacket : nil
  }

  /// The headers' count at a packet, when all packets have as many frames.
  func statedFrame(ofPacket packet: Int64) -> Int64? {
    guard framesPerPacket > 0 else { return nil }
    let (frames, overflow) = packet.multipliedReportingOverflow(by: framesPerPacket)
    return overflow ? nil : frames + (base ?? 0)
  }
}
