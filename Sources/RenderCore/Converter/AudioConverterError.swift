// SPDX-License-Identifier: MIT

/// Why a converter cannot be made. Nothing of it exists then.
public enum AudioConverterError: Error, Hashable, Sendable {
  /// No decoder for this encoding: Core Audio's `'fmt?'`.
  case formatNotSupported(String)
  /// The decoder library could not be started.
  case decoderUnavailable(String)
  /// The decoder library does not recognise the first packet.
  case decoderRefusedFirstPacket(String)
  /// The resampler cannot go from one rate to the other.
  case sampleRateNotSupported(input: Double, output: Double, String)
}

extension AudioConverterError: CustomStringConvertible {
  /// What happened and what can be done, in one line.
  public var description: String {
    switch self {
    case .formatNotSupported(let format):
      "no decoder for \(format); convert the file to MP3 or linear PCM WAVE first ('fmt?')"
    case .decoderUnavailable(let reason):
      "libmpg123 could not be started: \(reason); check its installation"
    case .decoderRefusedFirstPacket(let reason):
      "libmpg123 refuses the first packet: \(reason); the stream is damaged or not MPEG audio"
    case .sampleRateNotSupported(let input, let output, let reason):
      "cannot resample from \(input) Hz to \(output) Hz: \(reason)"
    }
  }
}
