// SPDX-License-Identifier: MIT

public import AudioModel

/// Which formats are decoded in the render callback, and by what.
public enum CallbackCodec {
  /// The library that decodes a format in the callback, or "built in"; nil when nothing in this build
  /// does, also where the library is not on this machine. Any thread, not the render thread.
  public static func library(for format: AudioFormatID) -> String? {
    switch format {
    case .mpegLayer1, .mpegLayer2, .mpegLayer3: return "libmpg123"
    case .linearPCM, .aLaw, .muLaw, .appleIMA4, .waveIMAADPCM, .microsoftADPCM: return builtIn
    default: break
    }
    #if DRAWBAR_FLAC
      if format == .flac, unsafe FLACLibrary.functions != nil { return "libFLAC" }
    #endif
    #if DRAWBAR_OPUS
      if format == .opus, unsafe OpusLibrary.functions != nil { return "libopus" }
    #endif
    return nil
  }

  /// Whether a format takes no library: its samples are there, and only have to be written down otherwise.
  package static func isBuiltIn(_ format: AudioFormatID) -> Bool { library(for: format) == builtIn }

  private static let builtIn = "built in"

  /// Why a format has no decoder here: the library for it was not there when this was built, is not there
  /// now, or there is none that a callback can use.
  package static func missing(for format: AudioFormatID) -> AudioConverterError {
    missingLibrary(for: format) ?? .formatNotSupported(format.name)
  }

  /// The same for a format whose library may be missing; nil for all others.
  package static func missingLibrary(for format: AudioFormatID) -> AudioConverterError? {
    switch format {
    case .flac:
      #if DRAWBAR_FLAC
        .libraryNotInstalled(format: "FLAC", file: FLACLibrary.file)
      #else
        .codecNotBuilt(format: "FLAC", library: "libFLAC", package: "libflac-dev")
      #endif
    case .opus:
      #if DRAWBAR_OPUS
        .libraryNotInstalled(format: "Opus", file: OpusLibrary.file)
      #else
        .codecNotBuilt(format: "Opus", library: "libopus", package: "libopus-dev")
      #endif
    default: nil
    }
  }
}
