// SPDX-License-Identifier: MIT

import AudioModel
import Testing

@testable import RenderCore

@Suite("Codecs of the callback")
struct CallbackCodecTests {
  @Test(
    "A format has a library if and only if a decoder can be made for it",
    arguments: [
      AudioFormatID.mpegLayer1, .mpegLayer2, .mpegLayer3, .linearPCM, .flac, .opus, .vorbis,
      .mpeg4AAC,
    ])
  func agrees(_ format: AudioFormatID) {
    let stream = CodedStreamDescription(
      format: AudioStreamBasicDescription(
        sampleRate: 48000, formatID: format, channelsPerFrame: 2))
    do throws(AudioConverterError) {
      _ = try ParsedStream.decoder(stream, first: [0])
    } catch {
      switch error {
      case .codecNotBuilt, .libraryNotInstalled: #expect(CallbackCodec.library(for: format) == nil)
      case .formatNotSupported:
        // This linear PCM has 0 bits per channel: it has a library, but no decoder.
        #expect((CallbackCodec.library(for: format) == nil) != (format == .linearPCM))
      default: #expect(CallbackCodec.library(for: format) != nil)
      }
    }
  }

  @Test("The error for a codec that is not built or not installed names the library to install")
  func leftOut() {
    for (id, format, library) in [
      (AudioFormatID.flac, "FLAC", "libFLAC"), (.opus, "Opus", "libopus"),
    ] {
      let missing = CallbackCodec.missing(for: id)
      if case .libraryNotInstalled(format, let file) = missing {
        let number = file.trimmingPrefix("\(library).so.")
        #expect(Int(number) != nil && file != number, "\(file)")
      } else {
        let package = "\(library.lowercased())-dev"
        #expect(missing == .codecNotBuilt(format: format, library: library, package: package))
      }
    }
    #expect(CallbackCodec.missing(for: .vorbis) == .formatNotSupported(AudioFormatID.vorbis.name))
  }
}
