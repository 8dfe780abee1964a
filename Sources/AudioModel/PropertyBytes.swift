// SPDX-License-Identifier: MIT

/// Property values as bytes: Core Audio's structures, in little-endian order.
extension [UInt8] {
  /// Appends an integer, its lowest byte first.
  package mutating func append(_ value: some FixedWidthInteger & UnsignedInteger) {
    for shift in stride(from: 0, to: value.bitWidth, by: 8) {
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  /// Appends an `AudioStreamBasicDescription`: 40 bytes.
  package mutating func append(_ format: AudioStreamBasicDescription) {
    append(format.sampleRate.bitPattern)
    for field in [
      format.formatID.rawValue.rawValue, format.formatFlags.rawValue, format.bytesPerPacket,
      format.framesPerPacket, format.bytesPerFrame, format.channelsPerFrame,
      format.bitsPerChannel, 0,
    ] { append(field) }
  }
}
