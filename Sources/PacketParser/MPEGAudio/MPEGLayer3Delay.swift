// SPDX-License-Identifier: MIT

package import AudioModel

/// The frames that an MPEG layer III decoder adds before the sound.
package enum MPEGLayer3Delay {
  /// 528 frames of the filter bank and one more, as the LAME tag counts them.
  private static let frameCount: Int64 = 529

  /// Returns the decoder's delay in addition to a packet table's priming frames. MPEG-4 and Core Audio
  /// files count it as priming; in files that hold the bare stream, the table is the LAME tag's, which
  /// does not count it.
  package static func frames(_ format: AudioFormatID, in fileFormat: AudioFileTypeID?) -> Int64 {
    guard format == .mpegLayer3, let fileFormat, fileFormatsOfBareStreams.contains(fileFormat)
    else { return 0 }
    return frameCount
  }

  private static let fileFormatsOfBareStreams: [AudioFileTypeID] = [
    .mpegLayer3, .wave, .rf64, .bw64, .wave64,
  ]
}
