// SPDX-License-Identifier: MIT

/// Numbers packets, and the frames of sound they begin with, by what the frames' headers say.
///
/// A stream that is joined midway begins with frame 0 here, whatever number it has. Where numbers do
/// not go on as they should, bytes have been lost, or the stream is put together from several; only a
/// loss makes numbers that are left out believed.
struct FLACNumbering {
  /// Frames of sound in a block, unless the headers say more.
  var blockSize = 0
  /// The same if all packets have as many; 0 otherwise.
  var framesPerPacket: Int64 = 0
  /// The next packet's number.
  private(set) var nextPacket: Int64 = 0
  /// The frame of sound that the next packet begins with; nil behind a jump.
  private var nextFrame: Int64? = 0
  /// The numbers went on so far as those of one stream do.
  private(set) var isOneStream = true
  /// What the headers' count has to be lessened by; nil before the first frame.
  private var base: Int64?

  /// Takes in a frame; the answer is the frame of sound that it begins with.
  ///
  /// - Parameter lostBytes: bytes before it that belong to no whole frame.
  mutating func add(_ header: FLACFrameHeader, lostBytes: Int64) -> Int64 {
    let stated = header.firstFrame(blockSize: blockSize)
    if base == nil, lostBytes == 0, let nextFrame { base = stated - nextFrame }
    let frame = max(0, stated - (base ?? 0))
    if let nextFrame, frame != nextFrame {
      let mostLost = lostBytes / Int64(FLACFrameHeader.minimumFrameBytes) + 1
      guard lostBytes > 0, frame > nextFrame,
        (frame - nextFrame) / Int64(header.blockSize) <= mostLost
      else {
        base = stated - nextFrame
        isOneStream = false
        return nextFrame
      }
    }
    base = stated - frame
    if framesPerPacket > 0, frame != nextFrame { nextPacket = frame / framesPerPacket }
    return frame
  }

  /// Goes on behind the frame that was taken in last.
  mutating func pass(_ header: FLACFrameHeader, firstFrame: Int64) {
    nextPacket += 1
    nextFrame = firstFrame + Int64(header.blockSize)
  }

  /// Goes on elsewhere.
  ///
  /// - Parameter frame: the frame that the packet begins with, if that is certain; else its header
  ///   tells, and with it the packet's number where packets have one duration.
  mutating func jump(to packet: Int64, frame: Int64? = nil) {
    nextPacket = packet
    nextFrame = frame
    // Where streams were put together, the count there may be another than here.
    if frame != nil { base = nil }
  }

  /// Goes on at an unknown place.
  mutating func jump() {
    nextFrame = nil
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
