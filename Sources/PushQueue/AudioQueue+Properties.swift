// SPDX-License-Identifier: MIT

internal import AudioConversion
public import AudioModel
internal import Glibc
internal import RenderCore

extension AudioQueue {
  // MARK: Parameters

  /// Sets a parameter at once, to the nearest possible value. Core Audio's `AudioQueueSetParameter`.
  ///
  /// Speed and pitch change with the sound that is stretched next, 0.2 to 0.4 s before it plays, or earlier
  /// where two of the output's cycles are longer than 0.15 s.
  ///
  /// - Throws: `invalidParameter` for speed and pitch unless ``isTimePitchEnabled``, `disposalPending`.
  public func set(_ parameter: AudioQueueParameter, to value: Float) throws(AudioQueueError) {
    try core.locked { engine throws(AudioQueueError) in try engine.set(parameter, to: value) }
  }

  /// Returns a parameter's value, or the target of its change, also if a buffer has set it. Core Audio's
  /// `AudioQueueGetParameter`.
  public func value(of parameter: AudioQueueParameter) -> Float {
    core.locked { $0.value(of: parameter) }
  }

  // MARK: Formats and output

  /// The packets' format, with fields of 0 filled in if known. `'aqft'`
  public var streamDescription: AudioStreamBasicDescription { core.locked { $0.format } }

  /// The output's frames per second. `'aqsr'`
  public var deviceSampleRate: Double { core.locked { $0.renderer.sampleRate } }

  /// The number of output channels that it plays on. `'aqdc'`
  public var deviceChannelCount: Int { core.locked { $0.deviceChannels } }

  /// Bytes of the largest packet from the queue's decoder, which produces floats. `'xops'`
  public var maximumOutputPacketSize: Int { core.locked { Int($0.decodedFormat.bytesPerPacket) } }

  /// The decoder's setup data beside the packets. `'aqmc'`
  public var magicCookie: [UInt8] { core.locked { $0.converter.magicCookie } }

  /// Passes a magic cookie to the decoder, before the first buffer is enqueued.
  ///
  /// - Throws: `invalidPropertyValue` for a cookie that the decoder refuses, or for linear PCM;
  ///   `invalidRunState` when packets are enqueued or decoded; `disposalPending`.
  public func setMagicCookie(_ cookie: [UInt8]) throws(AudioQueueError) {
    try core.locked { engine throws(AudioQueueError) in try engine.setMagicCookie(cookie) }
  }

  /// The speaker of each channel: as set, or as the stream states it; nil if neither. `'aqcl'`
  public var channelLayout: AudioChannelLayout? {
    core.locked { $0.layout ?? $0.converter.outputLayout }
  }

  /// Sets the speaker of each channel, from the next buffer after a stop, a flush or a reset on; nil leaves it
  /// to the stream.
  ///
  /// - Throws: `invalidPropertySize` for another number of channels than the format has,
  ///   `disposalPending`.
  public func setChannelLayout(_ layout: AudioChannelLayout?) throws(AudioQueueError) {
    try core.locked { engine throws(AudioQueueError) in
      try engine.checkAlive()
      guard layout == nil || layout?.labels.count == engine.channels else {
        throw AudioQueueError(
          .invalidPropertySize, "the layout is not one of \(engine.channels) channels")
      }
      engine.layout = layout
    }
  }

  /// Frames that are decoded ahead, at least 1; at first a second. Below some 0.1 s the output may underrun.
  /// `'dcbf'`
  public var decodeBufferSizeFrames: Int {
    get { core.locked { $0.decodeBufferFrames } }
    set {
      core.locked { $0.decodeBufferFrames = min(max(1, newValue), Int(60 * $0.sampleRate)) }
      core.ringProducer()
    }
  }

  /// The last error of the decoder as an `OSStatus`, 0 when there was none. Packets that cannot be decoded
  /// are replaced by silence of their length, where that is known, and the queue goes on. `'qcve'`
  public var converterError: Int32 { core.locked { $0.converterError } }

  // MARK: Levels

  /// Whether levels are measured; off at first. `'aqme'`
  public var isLevelMeteringEnabled: Bool {
    get { core.locked { $0.control.measuresLevels } }
    set { core.locked { $0.control.measuresLevels = newValue } }
  }

  /// Returns the level at each output since the last call, after volume and pan; the last result again while
  /// there is nothing new, at first silence. `'aqmv'`
  public func currentLevels() -> [AudioQueueLevel] { core.locked { $0.takeLevels() } }

  /// Returns ``currentLevels()`` in decibels of full scale, at least -120. `'aqmd'`
  public func currentLevelsInDecibels() -> [AudioQueueLevel] {
    func decibels(_ value: Float) -> Float { max(-120, 20 * log10f(max(value, 1e-6))) }
    return currentLevels().map {
      AudioQueueLevel(average: decibels($0.average), peak: decibels($0.peak))
    }
  }

  // MARK: Speed and pitch

  /// Whether speed and pitch can be changed; off at first. `'q_tp'`
  public var isTimePitchEnabled: Bool { core.locked { $0.timePitch.isEnabled } }

  /// Routes sound through librubberband, or not.
  ///
  /// - Throws: `codecNotFound` where that library is missing; `invalidRunState` unless the queue is stopped;
  ///   `disposalPending`.
  public func setTimePitchEnabled(_ isEnabled: Bool) throws(AudioQueueError) {
    try core.locked { engine throws(AudioQueueError) in
      try engine.setTimePitch(enabled: isEnabled)
    }
  }

  /// The algorithm that changes speed and pitch. `'qtpa'`
  public var timePitchAlgorithm: AudioQueueTimePitchAlgorithm {
    core.locked { $0.timePitch.algorithm }
  }

  /// Sets the algorithm that changes speed and pitch.
  ///
  /// - Throws: `invalidRunState` unless time and pitch is enabled and the queue stopped.
  public func setTimePitchAlgorithm(
    _ algorithm: AudioQueueTimePitchAlgorithm
  ) throws(AudioQueueError) {
    try core.locked { engine throws(AudioQueueError) in try engine.setTimePitch(algorithm) }
  }

  /// Whether sound bypasses the change of speed and pitch. `'qtpb'`
  public var isTimePitchBypassed: Bool {
    get { core.locked { $0.timePitch.isBypassed } }
    set { core.locked { $0.timePitch.isBypassed = newValue } }
  }
}
