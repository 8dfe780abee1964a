// SPDX-License-Identifier: MIT

public import AudioModel

/// The formats that the render callback decodes, and their libraries.
public enum CallbackCodec {
  /// Returns the library that decodes a format in the callback, or "built in"; nil if nothing in this build does, or if
  /// the library is not installed on this machine. Any thread, not the render thread.
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

  /// Returns whether a format needs no library: its decoder is in this target.
  package static func isBuiltIn(_ format: AudioFormatID) -> Bool { library(for: format) == builtIn }

  private static let builtIn = "built in"

  /// Returns the error for a format without a decoder here: its library was not present at build time, is not
  /// installed, or there is none that a callback can use.
  package static func missing(for format: AudioFormatID) -> AudioConverterError {
    missingLibrary(for: format) ?? .formatNotSupported(format.name)
  }

  /// Returns the error for a format whose library may be missing; nil for all others.
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
