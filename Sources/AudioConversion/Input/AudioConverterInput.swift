// SPDX-License-Identifier: MIT

public import AudioModel

extension AudioConverter {
  /// The fill callback's answer.
  ///
  /// The three kinds of answer are never confused. Packets are decoded as they are needed; packets not needed
  /// now are used before the callback is called again.
  public enum Answer {
    /// Packets of the input format. No packets mean the end of the stream.
    case packets(Packets)
    /// No more packets follow. The remainders of the decoder and the rate converter are written, and the
    /// callback is not called again before ``AudioConverter/reset()``.
    case endOfStream
    /// No packets, for a reason of the caller's own: `fill` stops and returns this status with the packets
    /// written so far. The next `fill` asks again. 0 is ``endOfStream``, as in Core Audio.
    case status(Int32)
  }

  /// One packet or a run of packets, from the fill callback.
  @safe
  public struct Packets {
    var borrowed: [UnsafeRawBufferPointer]
    var owned: [[UInt8]]
    /// The byte range of each packet; may be empty if all have the size that the format states, and for a
    /// single packet that is all of the buffer.
    public var descriptions: [AudioStreamPacketDescription]
    /// The number of packets.
    public var count: Int

    /// Creates packets in one buffer of the caller's, which must stay valid and unchanged until the callback is
    /// called again or `fill` has returned, whichever is first.
    public init(
      _ bytes: UnsafeRawBufferPointer, descriptions: [AudioStreamPacketDescription] = [],
      count: Int
    ) {
      unsafe self.init(planes: [bytes], count: count)
      self.descriptions = descriptions
    }

    /// Creates frames of linear PCM that is not interleaved: a buffer of the caller's for each channel. They
    /// must stay valid until the callback is called again or `fill` has returned.
    public init(planes: [UnsafeRawBufferPointer], count: Int) {
      unsafe borrowed = planes
      owned = []
      descriptions = []
      self.count = count
    }

    /// Creates packets that the converter retains as long as it needs them.
    public init(
      _ bytes: [UInt8], descriptions: [AudioStreamPacketDescription] = [], count: Int
    ) {
      unsafe borrowed = []
      owned = [bytes]
      self.descriptions = descriptions
      self.count = count
    }

    /// Creates frames of linear PCM that is not interleaved, one array for each channel.
    public init(planes: [[UInt8]], count: Int) {
      unsafe borrowed = []
      owned = planes
      descriptions = []
      self.count = count
    }
  }
}
