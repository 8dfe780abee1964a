// SPDX-License-Identifier: MIT

internal import Synchronization

/// A stream's converter before it is in the ring: the feeder's side has it hear what nobody else hears.
@safe
final class StreamPreparation: @unchecked Sendable {
  let converter: UnsafeMutablePointer<StreamConverter>
  let joinsPrevious: Bool
  /// The ring has the converter, which is freed by whoever takes it from there.
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
  /// Most failures that are kept until they are told, as many as the render thread keeps.
  private static let keptFailures = 256

  /// Has the converter of a stream that is being prepared decode a packet of which nothing is heard.
  ///
  /// - Returns: false for any other packet.
  mutating func prepare(_ packet: UnsafeRawBufferPointer, _ history: PacketHistory) -> Bool {
    guard let preparation, history.isInaudible, history.mark == 0, packet.count > 0 else {
      return false
    }
    if unsafe !preparation.converter.pointee.prepare(packet, history),
      failedPreparations.count < Self.keptFailures
    {
      failedPreparations.append(
        SourceEvent(
          kind: .packetFailed(packetIndex: history.packetIndex, byteOffset: history.byteOffset),
          streamID: lastStreamID,
          outputFrame: unsafe storage.shared.pointee.outputFrames.load(ordering: .relaxed)))
    }
    return true
  }

  /// Puts the mark of a stream that is being prepared into the ring.
  ///
  /// - Returns: false when the ring has no room now.
  mutating func endPreparation() -> Bool {
    guard let preparation else { return true }
    let isWritten = unsafe producer.write(
      mark: .streamStart, generation: generation, joinsPrevious: preparation.joinsPrevious,
      converter: preparation.converter)
    guard isWritten else { return false }
    preparation.isHandedOver = true
    self.preparation = nil
    return true
  }

  /// Drops a stream of which nothing is in the ring.
  mutating func abandonPreparation() {
    guard let abandoned = preparation else { return }
    unsafe forget(abandoned.converter)
    preparation = nil
  }
}
