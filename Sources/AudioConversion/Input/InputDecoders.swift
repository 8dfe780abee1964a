// SPDX-License-Identifier: MIT

internal import AudioModel
internal import RenderCore

/// Which decoder a stream gets: the render callback's where there is one.
enum InputDecoders {
  /// - Throws: `'fmt?'` when nothing in this build decodes the stream.
  static func make(
    _ stream: CodedStreamDescription
  ) throws(AudioConversionError) -> any InputDecoder {
    do throws(AudioConverterError) {
      return try CallbackInputDecoder(stream)
    } catch {
      throw AudioConversionError(error)
    }
  }
}
