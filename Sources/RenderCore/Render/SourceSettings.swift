// SPDX-License-Identifier: MIT

/// What of a source takes effect with a packet's first sound, to the frame.
public struct SourceSettings: Sendable, Equatable {
  // No optionals, so that the render thread can use them: a number that is none stands for no change.
  var codedVolume: Float
  var codedRampSeconds: Float
  var codedPan: Float
  var codedRate: Float

  /// Settings that change what is given and leave the rest.
  ///
  /// - Parameters:
  ///   - volume: as ``SourceControl/volume``.
  ///   - volumeRampSeconds: as ``SourceControl/volumeRampSeconds``, for this change too.
  ///   - pan: as ``SourceControl/pan``.
  ///   - rate: how fast the source's clock goes from here on, 1 being its own speed: for packets that
  ///     were stretched before.
  public init(
    volume: Float? = nil, volumeRampSeconds: Float? = nil, pan: Float? = nil, rate: Float? = nil
  ) {
    codedVolume = volume.map { SourceControl.possibleVolume($0) } ?? .nan
    codedRampSeconds = volumeRampSeconds.map { SourceControl.possibleRampSeconds($0) } ?? .nan
    codedPan = pan.map { SourceControl.possiblePan($0) } ?? .nan
    codedRate = rate.map { SourceControl.possibleRate($0) } ?? .nan
  }

  /// Settings that change nothing.
  @_noLocks
  init(unchanged: ()) {
    codedVolume = Float(bitPattern: 0x7FC0_0000)
    codedRampSeconds = codedVolume
    codedPan = codedVolume
    codedRate = codedVolume
  }
}

/// Settings on their way through the resampler, each with the frame at which it takes effect. The memory
/// is made once; more than fit take effect early.
///
/// Real-time: every call is wait-free, render thread only.
@safe
struct SettingsSchedule: ~Copyable {
  /// A power of two. What is pending in a resampler is a few packets.
  private static var capacity: Int { @_noLocks get { 64 } }

  private let frames: UnsafeMutablePointer<UInt64>
  private let settings: UnsafeMutablePointer<SourceSettings>
  private var first = 0
  private(set) var count = 0

  init() {
    unsafe frames = .allocate(capacity: Self.capacity)
    unsafe frames.initialize(repeating: 0, count: Self.capacity)
    unsafe settings = .allocate(capacity: Self.capacity)
    unsafe settings.initialize(repeating: SourceSettings(), count: Self.capacity)
  }

  deinit {
    unsafe frames.deallocate()
    unsafe settings.deallocate()
  }

  var isFull: Bool { @_noLocks get { count == Self.capacity } }

  /// Where the first one takes effect; only while there is one.
  var firstFrame: UInt64 { @_noLocks get { unsafe frames[first] } }

  /// Only while there is room.
  @_noLocks
  mutating func append(_ new: SourceSettings, at frame: UInt64) {
    let slot = (first &+ count) & (Self.capacity &- 1)
    unsafe frames[slot] = frame
    unsafe settings[slot] = new
    count &+= 1
  }

  /// Only while there is one.
  @_noLocks
  mutating func removeFirst() -> SourceSettings {
    let slot = first
    first = (first &+ 1) & (Self.capacity &- 1)
    count &-= 1
    return unsafe settings[slot]
  }

  @_noLocks
  mutating func removeAll() {
    count = 0
  }

  /// Brings the frames behind one to where their sound is when that frame begins another rate.
  @_noLocks
  mutating func follow(_ change: OutputRateChange) {
    for index in 0..<count {
      let slot = (first &+ index) & (Self.capacity &- 1)
      unsafe frames[slot] = change.frame(for: frames[slot])
    }
  }
}
