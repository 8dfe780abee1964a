// SPDX-License-Identifier: MIT

public import AudioModel
internal import PacketDecoders
internal import PacketParser
internal import RenderCore

extension TrackReader {
  /// Returns the rate and channel count that the track's first packet decodes to. They are the container's, except for
  /// HE-AAC with implicit signalling, which has twice the rate, and in its second version two channels. Waits for the
  /// source.
  ///
  /// - Parameter thread: the thread that will decode packets; nil for the one that suits the format.
  /// - Throws: the failure before the first packet.
  public func readDecodedFormat(
    on thread: DecoderThread? = nil
  ) throws(PlayerError) -> AudioStreamBasicDescription {
    let format = try readInformation().dataFormat
    let choice = DecoderChoice(format.formatID, on: thread)
    // Without any decoder, the error names the callback's missing library; otherwise the decoder ahead throws its own.
    if choice == nil, thread == nil,
      let missing = CallbackCodec.missingLibrary(for: format.formatID)
    {
      throw PlayerError(location: name, reason: .converter(missing))
    }
    guard choice?.thread == .ahead || choice == nil && thread == nil,
      CallbackCodec.library(for: format.formatID) == nil
    else { return format }
    while output.packets.first == nil {
      if try step(timeoutNanoseconds: 1_000_000_000) == .ended { break }
    }
    guard let item = output.packets.first, let stream = item.startsStream else { return format }
    do throws(AheadDecoderError) {
      let decoder = try AheadDecoder(stream)
      output.packets.withSpan(of: item) { packet in
        _ = decoder.decode(packet, frameCount: Int(item.metadata.frameCount))
      }
      return decoder.outputFormat
    } catch {
      throw PlayerError(location: name, reason: .decoder(error))
    }
  }
}
