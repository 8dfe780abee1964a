// SPDX-License-Identifier: MIT

/// The settings of a source that take effect with a packet's first sound, to the frame.
public struct SourceSettings: Sendable, Equatable {
  // No optionals, so that the render thread can use them: NaN means no change.
  var codedVolume: Float
  var codedRampSeconds: Float
  var codedPan: Float
  var codedRate: Float

  /// Creates settings that change only the parameters that are not nil.
  ///
  /// - Parameters:
  ///   - volume: as for ``SourceControl/volume``.
  ///   - volumeRampSeconds: as for ``SourceControl/volumeRampSeconds``, also for this change.
  ///   - pan: as for ``SourceControl/pan``.
  ///   - rate: the speed of the source's clock from here on, where 1 is its own: for packets that were stretched
  ///     before.
  public init(
    volume: Float? = nil, volumeRampSeconds: Float? = nil, pan: Float? = nil, rate: Float? = nil
  ) {
    codedVolume = volume.map { SourceControl.clampedVolume($0) } ?? .nan
    codedRampSeconds = volumeRampSeconds.map { SourceControl.possibleRampSeconds($0) } ?? .nan
    codedPan = pan.map { SourceControl.possiblePan($0) } ?? .nan
    codedRate = rate.map { SourceControl.possibleRate($0) } ?? .nan
  }

  /// Creates settings that change nothing.
  @_noLocks
  init(unchanged: ()) {
    codedVolume = Float(bitPattern: 0x7FC0_0000)
    codedRampSeconds = codedVolume
    codedPan = codedVolume
    codedRate = codedVolume
  }
}

/// Settings on their way through the resampler, each with the frame at which it takes effect. The memory is allocated
/// once; if it is full, further settings take effect early.
///
/// Real-time: every call is wait-free, render thread only.
@safe
struct SettingsSchedule: ~Copyable {
  /// A power of two. Only a few packets are pending in a resampler.
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

  /// The frame at which the first one takes effect. Valid only if there is one.
  var firstFrame: UInt64 { @_noLocks get { unsafe frames[first] } }

  /// Appends settings. Call it only if there is room.
  @_noLocks
  mutating func append(_ new: SourceSettings, at frame: UInt64) {
    let slot = (first &+ count) & (Self.capacity &- 1)
    unsafe frames[slot] = frame
    unsafe settings[slot] = new
    count &+= 1
  }

  /// Removes the first settings. Call it only if there are any.
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

  /// Converts the frames behind a change of the output's rate to the new rate.
  @_noLocks
  mutating func follow(_ change: OutputRateChange) {
    for index in 0..<count {
      let slot = (first &+ index) & (Self.capacity &- 1)
      unsafe frames[slot] = change.frame(for: frames[slot])
    }
  }
}
