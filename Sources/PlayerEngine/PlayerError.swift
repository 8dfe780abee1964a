// SPDX-License-Identifier: MIT

public import ByteSources
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
    /// A packet of this many bytes, at this byte offset, is larger than the ring takes.
    case packetTooLarge(bytes: Int, byteOffset: Int64)
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
  public var description: String {
    switch reason {
    case .source(let error): "\(error)"
    case .parser(let error): "\(location): \(error)"
    case .converter(let error): "\(location): \(error)"
    case .packetTooLarge(let bytes, let byteOffset):
      "\(location): packet of \(bytes) bytes at byte \(byteOffset) is larger than the packet ring "
        + "takes; give the source a larger ring"
    }
  }
}
