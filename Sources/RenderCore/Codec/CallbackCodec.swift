// SPDX-License-Identifier: MIT

public import AudioModel

/// Which formats are decoded in the render callback, and by which library.
public enum CallbackCodec {
  /// The library that decodes a format in the callback, `built in` where it takes none; nil when
  /// nothing in this build does. Any thread.
  public static func library(for format: AudioFormatID) -> String? {
    switch format {
    case .linearPCM, .aLaw, .muLaw, .appleIMA4, .waveIMAADPCM, .microsoftADPCM: "built in"
    case .mpegLayer1, .mpegLayer2, .mpegLayer3: "libmpg123"
    default: nil
    }
  }
}
