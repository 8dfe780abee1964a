// SPDX-License-Identifier: MIT

public import AudioModel
internal import PacketDecoders
internal import PacketParser
internal import RenderCore

extension TrackReader {
  /// The rate and channels that the track's first packet decodes to. What the container says, but
  /// where only the packets tell that there is more: HE-AAC with implicit signalling has twice the
  /// rate, and its second version two channels. Waits for the source.
  ///
  /// - Parameter place: where packets will be decoded; nil for the place that suits the format.
  /// - Throws: what went wrong before the first packet.
  public func readDecodedFormat(
    at place: DecodePlace? = nil
  ) throws(PlayerError) -> AudioStreamBasicDescription {
    let format = try readInformation().dataFormat
    let choice = DecoderChoice(format.formatID, at: place)
    // Without a decoder at either place, the library of the callback's is named; else the decoder ahead says why.
    if choice == nil, place == nil,
      let missing = CallbackCodec.missingLibrary(for: format.formatID)
    {
      throw PlayerError(location: name, reason: .converter(missing))
    }
    guard choice?.place == .ahead || choice == nil && place == nil,
      CallbackCodec.library(for: format.formatID) == nil
    else { return format }
    while output.packets.first == nil {
      if try step(timeoutNanoseconds: 1_000_000_000) == .ended { break }
    }
    guard let item = output.packets.first, let stream = item.startsStream else { return format }
    do throws(AheadDecoderError) {
      let decoder = try AheadDecoder(stream)
      output.packets.withSpan(of: item) { packet in
        _ = decoder.decode(packet, frameCount: Int(item.history.frameCount))
      }
      return decoder.outputFormat
    } catch {
      throw PlayerError(location: name, reason: .decoder(error))
    }
  }
}
