// SPDX-License-Identifier: MIT

public import AudioModel
public import ByteSources
public import PacketDecoders
public import PacketParser
public import RenderCore

/// A failure that prevents a track, or the rest of it, from being played: the failing stage's error and the location.
public struct PlayerError: Error, Hashable, Sendable {
  /// The failing stage and its error.
  public enum Reason: Hashable, Sendable {
    /// The source cannot be opened or read.
    case source(ByteSourceError)
    /// The parser cannot parse the bytes.
    case parser(AudioFileStreamError)
    /// The packets cannot be decoded or resampled.
    case converter(AudioConverterError)
    /// The packets cannot be decoded ahead of the render callback.
    case decoder(AheadDecoderError)
    /// This build has no decoder of this format for the requested thread.
    case decoderThreadNotAvailable(AudioFormatID, DecoderThread)
    /// A packet of this many bytes, at this byte offset, is larger than the ring takes.
    case packetTooLarge(bytes: Int, byteOffset: Int64)
    /// ``TrackReader/isCancelled`` returned true while the reader waited.
    case cancelled
  }

  /// The file's path or the URL without credentials.
  public var location: String
  /// The failing stage and its error.
  public var reason: Reason

  /// An error of one stage.
  public init(location: String, reason: Reason) {
    self.location = location
    self.reason = reason
  }
}

extension PlayerError: CustomStringConvertible {
  /// The failure, its location and a remedy, in one line.
  public var description: String { sentence.asMessage }

  private var sentence: String {
    switch reason {
    case .source(let error): "\(error)"
    case .parser(let error): "\(location): \(error)"
    case .converter(let error): "\(location): \(error)"
    case .decoder(let error): "\(location): \(error)"
    case .decoderThreadNotAvailable(let format, .callback):
      "\(location): \(format.name) cannot be decoded in the render callback here; have it decoded ahead"
    case .decoderThreadNotAvailable(let format, .ahead):
      "\(location): \(format.name) cannot be decoded ahead here; have it decoded in the callback"
    case .packetTooLarge(let bytes, let byteOffset):
      "\(location): packet of \(bytes) bytes at byte \(byteOffset) is larger than the packet ring "
        + "takes; give the source a larger ring"
    case .cancelled: "\(location) was not read up to the requested position"
    }
  }
}
