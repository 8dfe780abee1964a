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

/// The decoder that a format gets, where it runs, and why there.
public struct DecoderChoice: Hashable, Sendable {
  /// Why a decoder runs where it does.
  public enum Reason: Hashable, Sendable {
    /// ``PlayerConfiguration/decodePlace`` requires the place.
    case wanted
    /// This build has a decoder for the format at this place only.
    case onlyPlace
    /// The output's cycles have no deadlines, for example because it writes a file.
    case noDeadline
    /// Decoding and resampling one packet takes `packetNanoseconds`. The place is the callback if this is at most
    /// ``DecoderChoice/callbackShare`` of the period.
    case measured(packetNanoseconds: UInt64, periodNanoseconds: UInt64)
  }

  /// The largest part of a period that one packet may take in the callback.
  public static let callbackShare = 0.05

  /// Where it runs.
  public var place: DecodePlace
  /// The library that decodes: `libmpg123`, `libFLAC`, `libopus`, `libavcodec`; `built in` for what
  /// takes none.
  public var library: String
  /// Why it runs there.
  public var reason: Reason

  /// The decoder of a format: in the callback wherever that can be. Any thread.
  ///
  /// - Parameters:
  ///   - format: the packets' encoding.
  ///   - wanted: only there; nil for either place.
  /// - Returns: nil when this build decodes the format at no such place.
  public init?(_ format: AudioFormatID, at wanted: DecodePlace? = nil) {
    if let library = CallbackCodec.library(for: format) {
      place = wanted ?? .callback
      self.library = library
      reason = wanted == nil ? .noDeadline : .wanted
    } else if wanted != .callback, let library = AheadCodec.library(for: format) {
      place = .ahead
      self.library = library
      reason = .onlyPlace
    } else {
      return nil
    }
  }

  /// Chooses the place by measurement.
  ///
  /// - Parameters:
  ///   - packetNanoseconds: the time to decode and resample one packet.
  ///   - periodNanoseconds: the output's period.
  ///   - joined: the place of the previous stream, if this one continues it without a gap. A change of the place then
  ///     takes a packet of 1.5 times the limit, or of two thirds of it, because a new resampler is audible.
  mutating func choosePlace(
    packetNanoseconds: UInt64, periodNanoseconds: UInt64, joined: DecodePlace? = nil
  ) {
    let limit = Self.callbackShare * Double(periodNanoseconds)
    let slack =
      switch joined {
      case .callback: 1.5
      case .ahead: 1 / 1.5
      case nil: 1.0
      }
    place = Double(packetNanoseconds) <= limit * slack ? .callback : .ahead
    reason = .measured(packetNanoseconds: packetNanoseconds, periodNanoseconds: periodNanoseconds)
  }
}
