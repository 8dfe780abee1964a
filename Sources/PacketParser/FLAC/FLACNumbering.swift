// SPDX-License-Identifier: MIT

/// Numbers packets and their first frames of sound by the frames' headers.
///
/// A stream joined midway begins with frame 0 here, whatever number it has. A jump in the numbers means
/// lost bytes or joined streams; only after a loss are the skipped numbers accepted.
struct FLACNumbering {
  /// Frames of sound in a block, unless the headers state more.
  var blockSize = 0
  /// Whether `blockSize` comes from a header.
  private var hasSeenBlockSize = false
  /// Frames per packet if all packets have the same number; otherwise 0.
  var framesPerPacket: Int64 = 0
  /// The next packet's number.
  private(set) var nextPacket: Int64 = 0
  /// The first frame of sound of the next packet; nil after a jump.
  private(set) var nextFrame: Int64? = 0
  /// Whether the numbers so far are those of one stream.
  private(set) var isOneStream = true
  /// The offset subtracted from the headers' count; nil before the first frame.
  private var base: Int64?
  /// The frame added last, if the next one follows it.
  private var last: FLACFrameHeader?

  /// Returns the frames of sound missing before a frame, by the numbers.
  ///
  /// - Parameters:
  ///   - lostBytes: bytes before it that belong to no whole frame.
  ///   - broken: a frame among these bytes, counted as lost if the numbers restart.
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

  /// Uses the first header's block size as that of all blocks, until two frames in a row show another.
  mutating func learnBlockSize(from header: FLACFrameHeader) {
    if hasSeenBlockSize || header.isVariable { return }
    blockSize = header.blockSize
    hasSeenBlockSize = true
  }

  /// Adds a frame, after any loss before it was passed, and returns its first frame of sound.
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

  /// Adds silence that replaces lost frames.
  mutating func pass(silence frames: Int64) {
    nextPacket += 1
    nextFrame? += frames
    last = nil
  }

  /// Whether a frame's number follows the last one's.
  private func isNext(_ header: FLACFrameHeader) -> Bool {
    guard let last, last.isVariable == header.isVariable else { return false }
    return header.number == last.number + (header.isVariable ? Int64(last.blockSize) : 1)
  }

  /// Continues at another packet.
  ///
  /// - Parameter frame: the packet's first frame, if it is certain; otherwise its header determines the
  ///   frame and, if packets have one duration, the packet's number.
  mutating func jump(to packet: Int64, frame: Int64? = nil) {
    nextPacket = packet
    nextFrame = frame
    last = nil
    // In joined streams the count there may differ from the one here.
    if frame != nil { base = nil }
  }

  /// Continues at an unknown position.
  mutating func jump() {
    nextFrame = nil
    last = nil
  }

  /// Returns the packet at a frame of the headers' count, if all packets have the same number of
  /// frames.
  func packet(atStatedFrame frame: Int64) -> Int64? {
    framesPerPacket > 0 ? (frame - (base ?? 0)) / framesPerPacket : nil
  }

  /// Returns the headers' count at a packet, if all packets have the same number of frames.
  func statedFrame(ofPacket packet: Int64) -> Int64? {
    guard framesPerPacket > 0 else { return nil }
    let (frames, overflow) = packet.multipliedReportingOverflow(by: framesPerPacket)
    return overflow ? nil : frames + (base ?? 0)
  }
}
