// SPDX-License-Identifier: MIT

public import AudioModel
internal import PacketDecoders
internal import RenderCore

/// The thread that decodes packets.
public enum DecoderThread: String, Hashable, Sendable, CaseIterable {
  /// The render callback decodes each packet when it needs it. For decoders that neither allocate nor lock.
  case callback
  /// The feeder's thread decodes many packets at a time and resamples them if the rates differ. Linear PCM at the
  /// output's rate passes through the same ring.
  case ahead
}

/// The decoder of a format, the thread that it runs on, and the reason for that thread.
public struct DecoderChoice: Hashable, Sendable {
  /// The reason for a decoder's thread.
  public enum Reason: Hashable, Sendable {
    /// ``PlayerConfiguration/decoderThread`` requires the thread.
    case wanted
    /// This build has a decoder of the format for this thread only.
    case onlyThread
    /// The output's cycles have no deadlines, for example because it writes a file.
    case noDeadline
    /// Decoding and resampling one packet takes `packetNanoseconds`. The callback decodes if this is at most
    /// ``DecoderChoice/callbackShare`` of the period.
    case measured(packetNanoseconds: UInt64, periodNanoseconds: UInt64)
  }

  /// The largest part of a period that one packet may take in the callback.
  public static let callbackShare = 0.05

  /// The thread that it runs on.
  public var thread: DecoderThread
  /// The library that decodes: `libmpg123`, `libFLAC`, `libopus`, `libavcodec`; `built in` for a format that needs
  /// none.
  public var library: String
  /// The reason for that thread.
  public var reason: Reason

  /// Chooses the decoder of a format, in the callback if possible. Any thread.
  ///
  /// - Parameters:
  ///   - format: the packets' encoding.
  ///   - wanted: the required thread; nil for either.
  /// - Returns: nil if this build has no such decoder.
  public init?(_ format: AudioFormatID, on wanted: DecoderThread? = nil) {
    if let library = CallbackCodec.library(for: format) {
      thread = wanted ?? .callback
      self.library = library
      reason = wanted == nil ? .noDeadline : .wanted
    } else if wanted != .callback, let library = AheadCodec.library(for: format) {
      thread = .ahead
      self.library = library
      reason = .onlyThread
    } else {
      return nil
    }
  }

  /// Chooses the thread by measurement.
  ///
  /// - Parameters:
  ///   - packetNanoseconds: the time to decode and resample one packet.
  ///   - periodNanoseconds: the output's period.
  ///   - joined: the thread of the previous stream, if this one continues it without a gap. A change of the thread then
  ///     requires a packet above 1.5 times the limit, or at most two thirds of it, because a new resampler is audible.
  mutating func chooseThread(
    packetNanoseconds: UInt64, periodNanoseconds: UInt64, joined: DecoderThread? = nil
  ) {
    let limit = Self.callbackShare * Double(periodNanoseconds)
    let slack =
      switch joined {
      case .callback: 1.5
      case .ahead: 1 / 1.5
      case nil: 1.0
      }
    thread = Double(packetNanoseconds) <= limit * slack ? .callback : .ahead
    reason = .measured(packetNanoseconds: packetNanoseconds, periodNanoseconds: periodNanoseconds)
  }
}
