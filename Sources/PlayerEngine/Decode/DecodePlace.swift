// SPDX-License-Identifier: MIT

public import AudioModel
internal import PacketDecoders
internal import RenderCore

/// Where packets become frames.
public enum DecodePlace: String, Hashable, Sendable, CaseIterable {
  /// In the render callback, one packet when it is needed. For decoders that neither allocate nor
  /// lock.
  case callback
  /// On the feeder's thread, many packets at a time, and resampled there, too, where the rates differ: into
  /// linear PCM of the output's rate, which goes through the same ring.
  case ahead
}

/// The decoder that a format gets, and where it runs.
public struct DecoderChoice: Hashable, Sendable {
  /// Where it runs.
  public var place: DecodePlace
  /// The library that decodes: `libmpg123`, `libFLAC`, `libopus`, `libavcodec`; `built in` for what
  /// takes none.
  public var library: String

  /// The decoder of a format: in the callback wherever that can be. Any thread.
  ///
  /// - Parameters:
  ///   - format: the packets' encoding.
  ///   - wanted: only there; nil for either place.
  /// - Returns: nil when this build decodes the format at no such place.
  public init?(_ format: AudioFormatID, at wanted: DecodePlace? = nil) {
    if let library = CallbackCodec.library(for: format) {
      self.init(place: wanted ?? .callback, library: library)
    } else if wanted != .callback, let library = AheadCodec.library(for: format) {
      self.init(place: .ahead, library: library)
    } else {
      return nil
    }
  }

  private init(place: DecodePlace, library: String) {
    self.place = place
    self.library = library
  }
}
