// SPDX-License-Identifier: MIT

internal import Synchronization

/// A stream's converter before it is in the ring. The feeder's side decodes the stream's first, inaudible packets.
@safe
final class StreamPreparation: @unchecked Sendable {
  let converter: UnsafeMutablePointer<StreamConverter>
  let joinsPrevious: Bool
  /// Whether the ring has the converter. Then the thread that takes it from the ring frees it.
  var isHandedOver = false

  init(converter: UnsafeMutablePointer<StreamConverter>, joinsPrevious: Bool) {
    unsafe self.converter = converter
    self.joinsPrevious = joinsPrevious
  }

  deinit {
    if !isHandedOver { unsafe StreamConverter.destroy(converter) }
  }
}

extension SourceFeed {
  /// Most failures that are kept until they are reported: the number of events that the render thread keeps.
  private static let keptFailures = 256

  /// Decodes a fully trimmed packet with the converter of a stream that is being prepared.
  ///
  /// - Returns: false for any other packet.
  mutating func prepare(_ packet: UnsafeRawBufferPointer, _ metadata: PacketMetadata) -> Bool {
    guard let preparation, metadata.isInaudible, metadata.mark == 0, packet.count > 0 else {
      return false
    }
    if unsafe !preparation.converter.pointee.prepare(packet, metadata),
      failedPreparations.count < Self.keptFailures
    {
      failedPreparations.append(
        SourceEvent(
          kind: .packetFailed(packetIndex: metadata.packetIndex, byteOffset: metadata.byteOffset),
          streamID: lastStreamID,
          outputFrame: unsafe storage.shared.pointee.outputFrames.load(ordering: .relaxed)))
    }
    return true
  }

  /// Writes the mark of a stream that is being prepared to the ring.
  ///
  /// - Returns: false if the ring has no room now.
  mutating func endPreparation() -> Bool {
    guard let preparation else { return true }
    let isWritten = unsafe producer.write(
      mark: .streamStart, flushSerial: flushSerial, joinsPrevious: preparation.joinsPrevious,
      converter: preparation.converter)
    guard isWritten else { return false }
    preparation.isHandedOver = true
    self.preparation = nil
    return true
  }

  /// Drops a stream before any part of it is in the ring.
  mutating func abandonPreparation() {
    guard let abandoned = preparation else { return }
    unsafe forget(abandoned.converter)
    preparation = nil
  }
}
