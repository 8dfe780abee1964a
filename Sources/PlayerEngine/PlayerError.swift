// SPDX-License-Identifier: MIT

public import AudioModel
public import ByteSources
public import PacketDecoders
public import PacketParser
public import RenderCore

/// Why a track, or what is left of it, cannot be played: who says so, and about which location.
public struct PlayerError: Error, Hashable, Sendable {
  /// What the failing stage says.
  public enum Reason: Hashable, Sendable {
    /// The bytes could not be had.
    case source(ByteSourceError)
    /// The bytes could not be parsed.
    case parser(AudioFileStreamError)
    /// The packets cannot be decoded or resampled.
    case converter(AudioConverterError)
    /// The packets cannot be decoded ahead of the render callback.
    case decoder(AheadDecoderError)
    /// Packets of this format cannot be decoded at the place that was asked for.
    case placeNotAvailable(AudioFormatID, DecodePlace)
    /// A packet of this many bytes, at this byte offset, is larger than the ring takes.
    case packetTooLarge(bytes: Int, byteOffset: Int64)
    /// ``TrackReader/isCancelled`` said so while it waited.
    case cancelled
  }

  /// The file's path or the URL without credentials.
  public var location: String
  /// What the failing stage says.
  public var reason: Reason

  /// An error of one stage.
  public init(location: String, reason: Reason) {
    self.location = location
    self.reason = reason
  }
}

extension PlayerError: CustomStringConvertible {
  /// What happened, where, and what can be done, in one line.
  public var description: String { sentence.asMessage }

  private var sentence: String {
    switch reason {
    case .source(let error): "\(error)"
    case .parser(let error): "\(location): \(error)"
    case .converter(let error): "\(location): \(error)"
    case .decoder(let error): "\(location): \(error)"
    case .placeNotAvailable(let format, .callback):
      "\(location): \(format.name) cannot be decoded in the render callback here; have it decoded ahead"
    case .placeNotAvailable(let format, .ahead):
      "\(location): \(format.name) cannot be decoded ahead here; have it decoded in the callback"
    case .packetTooLarge(let bytes, let byteOffset):
      "\(location): packet of \(bytes) bytes at byte \(byteOffset) is larger than the packet ring "
        + "takes; give the source a larger ring"
    case .cancelled: "\(location) was not read to the place that was asked for"
    }
  }
}
