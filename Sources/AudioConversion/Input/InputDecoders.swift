// SPDX-License-Identifier: MIT

internal import AudioModel
internal import PacketDecoders
internal import RenderCore

/// The choice of a stream's decoder: the render callback's if there is one, else one that runs ahead.
enum InputDecoders {
  /// - Throws: `'fmt?'` when nothing in this build decodes the stream.
  static func make(
    _ stream: CodedStreamDescription
  ) throws(AudioConversionError) -> any InputDecoder {
    let refusal: AudioConverterError
    do throws(AudioConverterError) {
      return try CallbackInputDecoder(stream)
    } catch {
      refusal = error
    }
    do throws(AheadDecoderError) {
      return try AheadInputDecoder(stream)
    } catch {
      if case .formatNotSupported = error { throw AudioConversionError(refusal) }
      // Of two suitable libraries, the error names the one that decodes in the callback.
      if case .codecNotBuilt = refusal, case .libraryMissing = error {
        throw AudioConversionError(refusal)
      }
      throw AudioConversionError(.formatNotSupported, error.description)
    }
  }
}
