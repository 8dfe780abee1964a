// SPDX-License-Identifier: MIT

/// Why a decoder that runs ahead cannot be made. Nothing of it exists then.
public enum AheadDecoderError: Error, Hashable, Sendable {
  /// No decoder for this encoding: Core Audio's `'fmt?'`.
  case formatNotSupported(String)
  /// This encoding would be decoded, had the package been built with the library.
  case libraryMissing(format: String)
  /// The library with which this encoding would be decoded is not on this machine.
  case libraryNotInstalled(format: String, file: String)
  /// What the container says to the decoder makes no sense.
  case cookieRefused(format: String, String)
  /// The decoder does not start with what is known of the stream.
  case decoderRefused(format: String, String)
}

extension AheadDecoderError: CustomStringConvertible {
  /// What happened and what can be done, in one line.
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
