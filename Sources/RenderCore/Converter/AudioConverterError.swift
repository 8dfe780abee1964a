// SPDX-License-Identifier: MIT

/// The reason why a converter could not be made.
public enum AudioConverterError: Error, Hashable, Sendable {
  /// No decoder for this encoding: Core Audio's `'fmt?'`.
  case formatNotSupported(String)
  /// The library that decodes this encoding was not present at build time; the Debian package contains it.
  case codecNotBuilt(format: String, library: String, package: String)
  /// The library that decodes this encoding is not installed on this machine.
  case libraryNotInstalled(format: String, file: String)
  /// The decoder library could not be started.
  case decoderUnavailable(library: String, String)
  /// The container's data for the decoder, the magic cookie, is damaged or of another stream.
  case magicCookieRefused(format: String, String)
  /// The decoder library does not recognise the first packet.
  case decoderRefusedFirstPacket(String)
  /// The resampler cannot convert between the rates.
  case sampleRateNotSupported(input: Double, output: Double, String)
}

extension AudioConverterError: CustomStringConvertible {
  /// The error and the remedy, in one line.
  public var description: String {
    switch self {
    case .formatNotSupported(let format):
      "no decoder for \(format); convert the file to MP3 or linear PCM WAVE first ('fmt?')"
    case .codecNotBuilt(let format, let library, let package):
      "this build has no decoder for \(format): \(library) was missing; install the package "
        + "\(package) and build again ('fmt?')"
    case .libraryNotInstalled(let format, let file):
      "\(format) needs \(file), which is not installed; install the library of that version, or build "
        + "again with the one that there is ('fmt?')"
    case .decoderUnavailable(let library, let reason):
      "\(library) could not be started: \(reason); check its installation"
    case .magicCookieRefused(let format, let reason):
      "the header of the \(format) stream cannot be used: \(reason); the file is damaged"
    case .decoderRefusedFirstPacket(let reason):
      "libmpg123 refuses the first packet: \(reason); the stream is damaged or not MPEG audio"
    case .sampleRateNotSupported(let input, let output, let reason):
      "cannot resample from \(input) Hz to \(output) Hz: \(reason)"
    }
  }
}
