// SPDX-License-Identifier: MIT

internal import AudioModel
internal import PacketDecoders

/// A decoder that runs ahead of the render callback.
final class AheadInputDecoder: InputDecoder {
  private let stream: CodedStreamDescription
  /// nil until the magic cookie is known, if there is none yet.
  private var decoder: AheadDecoder?

  var sampleRate: Double { decoder?.outputFormat.sampleRate ?? stream.format.sampleRate }
  var channels: Int {
    Int(decoder?.outputFormat.channelsPerFrame ?? stream.format.channelsPerFrame)
  }
  var layout: AudioChannelLayout? { decoder?.outputLayout }

  /// - Throws: when this build does not decode the format, or the decoder refuses its magic cookie.
  init(_ stream: CodedStreamDescription) throws(AheadDecoderError) {
    self.stream = stream
    do throws(AheadDecoderError) {
      decoder = try AheadDecoder(stream)
    } catch {
      // The cookie may be set later.
      if stream.magicCookie.isEmpty, AheadCodec.library(for: stream.format.formatID) != nil {
        return
      }
      throw error
    }
  }

  func decode(
    _ packet: UnsafeRawBufferPointer, frameCount: Int?, into output: inout DecodedFrames
  ) throws(AudioConversionError) -> Bool {
    guard let decoder else {
      throw AudioConversionError(
        .formatNotSupported,
        "\(stream.format.formatID.name) cannot be decoded without its magic cookie")
    }
    let result = unsafe packet.withMemoryRebound(to: UInt8.self) { bytes in
      unsafe decoder.decode(bytes.span, frameCount: frameCount)
    }
    let count = result.frames * channels
    let samples = decoder.samples
    unsafe output.replace(frames: result.frames, channels: channels) { target in
      for i in 0..<min(count, samples.count) { unsafe target[i] = Double(samples[i]) }
    }
    return result.isDecoded
  }

  func reset() {
    decoder?.reset()
  }
}
