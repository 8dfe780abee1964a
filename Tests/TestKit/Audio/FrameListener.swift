// SPDX-License-Identifier: MIT

public import AudioModel
public import RenderCore
internal import Synchronization

/// An input callback that records its input, in the format that it was added with, and the means to examine the
/// recording. It must live until it has been removed, or its output closed.
@safe
public final class FrameListener: @unchecked Sendable {
  /// The state that the callback uses.
  @safe
  fileprivate struct Take: ~Copyable {
    let bytes: UnsafeMutablePointer<UInt8>
    let times: UnsafeMutablePointer<FrameListenerCall>
    let bytesPerFrame: Int
    let capacityFrames: Int
    let bufferCount: Int
    /// The frame count. The render thread stores it once the frames are written.
    let frames = Atomic<Int>(0)
    var calls = 0
    var wrongCalls = 0
    var status: Int32 = 0
  }

  private static let capacityCalls = 1 << 14
  private let take: UnsafeMutablePointer<Take>
  private let format: AudioStreamBasicDescription

  /// - Parameters:
  ///   - format: packed linear PCM.
  ///   - capacityFrames: the most frames that it records.
  public init(_ format: AudioStreamBasicDescription, capacityFrames: Int) {
    self.format = format
    let isPlanar = format.formatFlags.contains(.nonInterleaved)
    let sampleBytes = Int(format.bitsPerChannel) / 8
    let channels = Int(format.channelsPerFrame)
    let bytes = UnsafeMutablePointer<UInt8>.allocate(
      capacity: capacityFrames * channels * sampleBytes)
    unsafe bytes.initialize(repeating: 0, count: capacityFrames * channels * sampleBytes)
    let times = UnsafeMutablePointer<FrameListenerCall>.allocate(capacity: Self.capacityCalls)
    unsafe times.initialize(
      repeating: FrameListenerCall(frame: 0, nanoseconds: 0), count: Self.capacityCalls)
    unsafe take = .allocate(capacity: 1)
    unsafe take.initialize(
      to: Take(
        bytes: bytes, times: times, bytesPerFrame: isPlanar ? sampleBytes : sampleBytes * channels,
        capacityFrames: capacityFrames, bufferCount: isPlanar ? channels : 1))
  }

  deinit {
    unsafe take.pointee.bytes.deallocate()
    unsafe take.pointee.times.deallocate()
    unsafe take.deinitialize(count: 1)
    unsafe take.deallocate()
  }

  /// The context that must be passed with ``hearFrames``.
  public var context: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(take) }

  /// The status that the callback returns.
  public var status: Int32 {
    get { unsafe take.pointee.status }
    set { unsafe take.pointee.status = newValue }
  }

  /// Frames that the callback has received.
  public var frameCount: Int { unsafe take.pointee.frames.load(ordering: .acquiring) }

  /// Calls with a number of buffers other than the format's, with outputs, or with a sample time that is not the count
  /// of earlier frames.
  public var wrongCallCount: Int { unsafe take.pointee.wrongCalls }

  /// The first calls, in their order.
  public var calls: [FrameListenerCall] {
    unsafe (0..<min(take.pointee.calls, Self.capacityCalls)).map { unsafe take.pointee.times[$0] }
  }

  /// Returns the samples of a channel, in parts of full scale.
  public func values(_ channel: Int) -> [Double] {
    let flags = format.formatFlags
    let size = Int(format.bitsPerChannel) / 8
    let isPlanar = flags.contains(.nonInterleaved)
    let stride = unsafe take.pointee.bytesPerFrame
    let start = unsafe channel * size * (isPlanar ? take.pointee.capacityFrames : 1)
    return (0..<frameCount).map { frame in
      let sample = unsafe take.pointee.bytes + start + frame * stride
      var bits: UInt64 = 0
      for index in 0..<size {
        let byte = unsafe sample[flags.contains(.bigEndian) ? index : size - 1 - index]
        bits = bits << 8 | UInt64(byte)
      }
      guard flags.contains(.float) else {
        return Double(Int64(bitPattern: bits << UInt64(64 - 8 * size))) * 0x1p-63
      }
      return size == 4 ? Double(Float(bitPattern: UInt32(bits))) : Double(bitPattern: bits)
    }
  }
}

/// One call of a ``FrameListener``'s callback.
public struct FrameListenerCall: Sendable {
  /// Frames that earlier calls received.
  public var frame: Int
  /// The time that was passed to the call, in nanoseconds of the output's clock.
  public var nanoseconds: UInt64
}

/// Records the inputs of a call, as the callback of a ``FrameListener``.
@_noLocks
public func hearFrames(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  guard let take = unsafe context?.assumingMemoryBound(to: FrameListener.Take.self) else {
    return -1
  }
  let frames = unsafe take.pointee.frames.load(ordering: .relaxed)
  if unsafe call.pointee.inputCount != take.pointee.bufferCount || call.pointee.outputCount != 0
    || call.pointee.frameTime != UInt32(truncatingIfNeeded: frames)
  {
    unsafe take.pointee.wrongCalls += 1
  }
  if unsafe take.pointee.calls < 1 << 14 {
    unsafe take.pointee.times[take.pointee.calls] = unsafe FrameListenerCall(
      frame: frames, nanoseconds: call.pointee.hostNanoseconds)
  }
  unsafe take.pointee.calls += 1
  let (capacity, size) = unsafe (take.pointee.capacityFrames, take.pointee.bytesPerFrame)
  let count = unsafe min(call.pointee.frameCount, capacity - frames)
  for buffer in unsafe 0..<call.pointee.inputCount {
    let target = unsafe UnsafeMutableRawPointer(
      take.pointee.bytes + (buffer * capacity + frames) * size)
    unsafe target.copyMemory(from: call.pointee.inputs[buffer], byteCount: count * size)
  }
  unsafe take.pointee.frames.store(frames + count, ordering: .releasing)
  return unsafe take.pointee.status
}
