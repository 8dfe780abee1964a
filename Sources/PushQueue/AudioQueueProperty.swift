// SPDX-License-Identifier: MIT

public import AudioModel

/// A property of a queue, which can be read, and whose changes can notify a listener. Core Audio's
/// `kAudioQueueProperty_…`, with its codes. In Swift each is a property of the queue.
public struct AudioQueueProperty: RawRepresentable, Hashable, Sendable {
  /// The four-character code.
  public var rawValue: FourCharacterCode

  /// The property with this code.
  public init(rawValue: FourCharacterCode) {
    self.rawValue = rawValue
  }

  /// Whether the queue is running: `'aqrn'`.
  public static let isRunning = AudioQueueProperty(rawValue: "aqrn")
  /// The device's frames per second: `'aqsr'`.
  public static let deviceSampleRate = AudioQueueProperty(rawValue: "aqsr")
  /// The device's channels: `'aqdc'`.
  public static let deviceNumberChannels = AudioQueueProperty(rawValue: "aqdc")
  /// The device: `'aqcd'`.
  public static let currentDevice = AudioQueueProperty(rawValue: "aqcd")
  /// The decoder's setup data beside the packets: `'aqmc'`.
  public static let magicCookie = AudioQueueProperty(rawValue: "aqmc")
  /// Bytes of the decoder's largest packet: `'xops'`.
  public static let maximumOutputPacketSize = AudioQueueProperty(rawValue: "xops")
  /// The packets' format: `'aqft'`.
  public static let streamDescription = AudioQueueProperty(rawValue: "aqft")
  /// The speaker of each channel: `'aqcl'`.
  public static let channelLayout = AudioQueueProperty(rawValue: "aqcl")
  /// Whether levels are measured: `'aqme'`.
  public static let enableLevelMetering = AudioQueueProperty(rawValue: "aqme")
  /// The levels, 1 being full scale: `'aqmv'`.
  public static let currentLevelMeter = AudioQueueProperty(rawValue: "aqmv")
  /// The levels in decibels: `'aqmd'`.
  public static let currentLevelMeterDB = AudioQueueProperty(rawValue: "aqmd")
  /// Frames that are decoded ahead: `'dcbf'`.
  public static let decodeBufferSizeFrames = AudioQueueProperty(rawValue: "dcbf")
  /// The last error of the decoder: `'qcve'`.
  public static let converterError = AudioQueueProperty(rawValue: "qcve")
  /// Whether speed and pitch can be changed: `'q_tp'`.
  public static let enableTimePitch = AudioQueueProperty(rawValue: "q_tp")
  /// The algorithm that changes them: `'qtpa'`.
  public static let timePitchAlgorithm = AudioQueueProperty(rawValue: "qtpa")
  /// Whether sound bypasses that change: `'qtpb'`.
  public static let timePitchBypass = AudioQueueProperty(rawValue: "qtpb")
}

/// An algorithm that changes speed and pitch. Core Audio's `kAudioQueueTimePitchAlgorithm_…`.
public enum AudioQueueTimePitchAlgorithm: Sendable, CaseIterable {
  /// In the frequency domain with long windows, best for music: `'spec'`.
  case spectral
  /// At less than half the cost, good for speech; its pitch cannot be set: `'tido'`.
  case timeDomain
  /// The pitch goes with the speed, as on a tape: `'vspd'`.
  case varispeed

  /// Core Audio's code.
  public var code: FourCharacterCode {
    switch self {
    case .spectral: "spec"
    case .timeDomain: "tido"
    case .varispeed: "vspd"
    }
  }
}
