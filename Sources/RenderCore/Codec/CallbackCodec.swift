// SPDX-License-Identifier: MIT

public import AudioModel

/// Which formats are decoded in the render callback, and by what.
public enum CallbackCodec {
  /// The library that decodes a format in the callback, or "built in"; nil when nothing in this build
  /// does. Any thread.
  public static func library(for format: AudioFormatID) -> String? {
    switch format {
    case .mpegLayer1, .mpegLayer2, .mpegLayer3: return "libmpg123"
    case .linearPCM, .aLaw, .muLaw, .appleIMA4, .waveIMAADPCM, .microsoftADPCM: return builtIn
    default: break
    }
    #if DRAWBAR_FLAC
      if format == .flac { return "libFLAC" }
    #endif
    #if DRAWBAR_OPUS
      if format == .opus { return "libopus" }
    #endif
    return nil
  }

  /// Whether a format takes no library: its samples are there, and only have to be written down otherwise.
  package static func isBuiltIn(_ format: AudioFormatID) -> Bool { library(for: format) == builtIn }

  private static let builtIn = "built in"

  /// Why a format has no decoder here: the library for it was not there when this was built, or there
  /// is none that a callback can use.
  package static func missing(for format: AudioFormatID) -> AudioConverterError {
    switch format {
    case .flac: .codecNotBuilt(format: "FLAC", library: "libFLAC", package: "libflac-dev")
    case .opus: .codecNotBuilt(format: "Opus", library: "libopus", package: "libopus-dev")
    default: .formatNotSupported(format.name)
    }
  }
}
