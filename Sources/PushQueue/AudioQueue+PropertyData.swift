// SPDX-License-Identifier: MIT

internal import AudioModel

/// Properties in the form of Core Audio's `AudioQueueGetProperty` and `AudioQueueSetProperty`: the C values of
/// AudioQueue.h and CoreAudioBaseTypes.h, little-endian.
extension AudioQueue {
  /// Returns the number of bytes of a property's value. Core Audio's `AudioQueueGetPropertySize`.
  ///
  /// - Throws: `invalidProperty` for a property that is unknown, or has no value.
  public func propertyByteCount(_ property: AudioQueueProperty) throws(AudioQueueError) -> Int {
    if let byteCount = levelByteCount(of: property) { return byteCount }
    return try data(of: property).count
  }

  /// Writes a property's value to the start of a buffer. Core Audio's `AudioQueueGetProperty`.
  ///
  /// - Parameter property: the property.
  /// - Parameter buffer: room for at least ``propertyByteCount(_:)`` bytes. Unchanged when the call throws.
  /// - Returns: the number of bytes written.
  /// - Throws: `invalidPropertySize` for a buffer that is too small, `invalidProperty` for a property that is
  ///   unknown, or has no value.
  public func copyProperty(
    _ property: AudioQueueProperty, into buffer: inout MutableSpan<UInt8>
  ) throws(AudioQueueError) -> Int {
    if let byteCount = levelByteCount(of: property) {
      try check(room: buffer.count, for: byteCount, of: property)
    }
    let data = try data(of: property)
    try check(room: buffer.count, for: data.count, of: property)
    for index in data.indices { buffer[index] = data[index] }
    return data.count
  }

  /// Returns the number of bytes of levels, which a read resets; nil for any other property.
  private func levelByteCount(of property: AudioQueueProperty) -> Int? {
    switch property {
    case .currentLevelMeter, .currentLevelMeterDB: 8 * deviceChannelCount
    default: nil
    }
  }

  private func check(
    room: Int, for byteCount: Int, of property: AudioQueueProperty
  ) throws(AudioQueueError) {
    guard room >= byteCount else {
      throw AudioQueueError(
        .invalidPropertySize,
        "'\(property.rawValue)' has \(byteCount) bytes, and there is room for \(room)")
    }
  }

  /// Sets a property from its bytes. Core Audio's `AudioQueueSetProperty`.
  ///
  /// - Throws: `invalidPropertySize` for another number of bytes than it has, `invalidProperty` for a property
  ///   that is unknown or cannot be set, `invalidPropertyValue` for an impossible value, and the errors of the
  ///   Swift property's setter.
  public func setProperty(
    _ property: AudioQueueProperty, to data: [UInt8]
  ) throws(AudioQueueError) {
    switch property {
    case .magicCookie: try setMagicCookie(data)
    case .enableLevelMetering: isLevelMeteringEnabled = try word(data, of: property) != 0
    case .decodeBufferSizeFrames: decodeBufferSizeFrames = Int(try word(data, of: property))
    case .enableTimePitch: try setTimePitchEnabled(try word(data, of: property) != 0)
    case .timePitchBypass: isTimePitchBypassed = try word(data, of: property) != 0
    case .timePitchAlgorithm:
      let code = try word(data, of: property)
      guard
        let algorithm = AudioQueueTimePitchAlgorithm.allCases.first(where: {
          $0.code.rawValue == code
        })
      else {
        throw AudioQueueError(
          .invalidPropertyValue,
          "there is no algorithm '\(FourCharacterCode(rawValue: code))'")
      }
      try setTimePitchAlgorithm(algorithm)
    default:
      throw AudioQueueError(
        .invalidProperty, "'\(property.rawValue)' is not known, or cannot be set as bytes")
    }
  }

  private func word(
    _ data: [UInt8], of property: AudioQueueProperty
  ) throws(AudioQueueError) -> UInt32 {
    guard data.count == 4 else {
      throw AudioQueueError(
        .invalidPropertySize, "'\(property.rawValue)' has 4 bytes, not \(data.count)")
    }
    return data.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  private func data(of property: AudioQueueProperty) throws(AudioQueueError) -> [UInt8] {
    var data: [UInt8] = []
    switch property {
    case .isRunning: data.append(UInt32(isRunning ? 1 : 0))
    case .deviceSampleRate: data.append(deviceSampleRate.bitPattern)
    case .deviceNumberChannels: data.append(UInt32(deviceChannelCount))
    case .magicCookie: data = magicCookie
    case .maximumOutputPacketSize: data.append(UInt32(maximumOutputPacketSize))
    case .streamDescription: data.append(streamDescription)
    case .enableLevelMetering: data.append(UInt32(isLevelMeteringEnabled ? 1 : 0))
    case .currentLevelMeter: data.append(currentLevels())
    case .currentLevelMeterDB: data.append(currentLevelsInDecibels())
    case .decodeBufferSizeFrames: data.append(UInt32(decodeBufferSizeFrames))
    case .converterError: data.append(UInt32(bitPattern: converterError))
    case .enableTimePitch: data.append(UInt32(isTimePitchEnabled ? 1 : 0))
    case .timePitchAlgorithm: data.append(timePitchAlgorithm.code.rawValue)
    case .timePitchBypass: data.append(UInt32(isTimePitchBypassed ? 1 : 0))
    default:
      throw AudioQueueError(
        .invalidProperty, "'\(property.rawValue)' is not known, or has no form as bytes")
    }
    return data
  }
}

extension [UInt8] {
  /// Appends an `AudioQueueLevelMeterState` for each channel: 8 bytes.
  fileprivate mutating func append(_ levels: [AudioQueueLevel]) {
    for level in levels {
      append(level.average.bitPattern)
      append(level.peak.bitPattern)
    }
  }
}
