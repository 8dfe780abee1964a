// SPDX-License-Identifier: MIT

/// A parameter of the sound, which can be changed at any time. Core Audio's `kAudioQueueParam_…`, with its
/// numbers.
public enum AudioQueueParameter: UInt32, Sendable, CaseIterable {
  /// Gain, from 0 to 1; at first 1.
  case volume = 1
  /// Speed, from 0.5 to 2, with the pitch kept; at first 1. Only with time and pitch enabled.
  case playRate = 2
  /// Pitch, from -2400 to 2400 cents, with the speed kept; at first 0. Only with time and pitch enabled, and
  /// only with the spectral algorithm.
  case pitch = 3
  /// Seconds that later changes of the volume take, from 0 to 60; at first 0.
  case volumeRampTime = 4
  /// Stereo position, from -1, left, to 1, right; at first 0. The nearer side keeps its volume.
  case pan = 13

  /// The possible values. Others are clamped to them.
  public var range: ClosedRange<Float> {
    switch self {
    case .volume: 0...1
    case .playRate: 0.5...2
    case .pitch: -2400...2400
    case .volumeRampTime: 0...60
    case .pan: -1...1
    }
  }

  /// The value when none was set.
  public var defaultValue: Float {
    switch self {
    case .volume, .playRate: 1
    case .pitch, .volumeRampTime, .pan: 0
    }
  }

  /// Returns the nearest possible value; the default for NaN.
  func possible(_ value: Float) -> Float {
    value.isNaN ? defaultValue : min(max(range.lowerBound, value), range.upperBound)
  }
}

/// A parameter that changes with a buffer's first frame. Core Audio's `AudioQueueParameterEvent`.
public struct AudioQueueParameterEvent: Hashable, Sendable {
  /// The parameter.
  public var parameter: AudioQueueParameter
  /// The new value.
  public var value: Float

  /// Creates a change of this parameter.
  public init(_ parameter: AudioQueueParameter, _ value: Float) {
    self.parameter = parameter
    self.value = value
  }
}
