// SPDX-License-Identifier: MIT

/// The reason why a decoder that runs ahead cannot be created. No part of it exists then.
public enum AheadDecoderError: Error, Hashable, Sendable {
  /// No decoder for this encoding: Core Audio's `'fmt?'`.
  case formatNotSupported(String)
  /// This encoding would be decoded if the package were built with the library.
  case libraryMissing(format: String)
  /// The library that decodes this encoding is not on this machine.
  case libraryNotInstalled(format: String, file: String)
  /// The container's setup data for the decoder makes no sense.
  case cookieRefused(format: String, String)
  /// The decoder does not start with the known facts of the stream.
  case decoderRefused(format: String, String)
}

extension AheadDecoderError: CustomStringConvertible {
  /// A one-line message: the failure and a remedy.
  public var description: String {
    switch self {
    case .formatNotSupported(let format):
      "no decoder for \(format); convert the file to MP3 or linear PCM WAVE first ('fmt?')"
    case .libraryMissing(let format):
      "\(format) needs libavcodec, which this program was built without; install the Debian package "
        + "libavcodec-dev and build again ('fmt?')"
    case .libraryNotInstalled(let format, let file):
      "\(format) needs \(file), which is not installed; install libavcodec of that version, or build "
        + "again with the one that there is ('fmt?')"
    case .cookieRefused(let format, let reason):
      "libavcodec refuses the decoder configuration of the \(format) stream: \(reason); "
        + "the file is damaged"
    case .decoderRefused(let format, let reason):
      "libavcodec cannot start its decoder for \(format): \(reason); check its installation"
    }
  }
}
