// SPDX-License-Identifier: MIT

package import AudioModel

/// The frames that an MPEG layer III decoder puts before the sound.
package enum MPEGLayer3Delay {
  /// 528 of the filter bank and one more (the LAME tag's own reckoning).
  private static let frameCount: Int64 = 529

  /// The decoder's delay on top of a packet table's priming frames. MPEG-4 and Core Audio files count it
  /// as priming themselves; in files that hold the bare stream, the table is the LAME tag's, which does
  /// not.
  package static func frames(_ format: AudioFormatID, in fileFormat: AudioFileTypeID?) -> Int64 {
    guard format == .mpegLayer3, let fileFormat, fileFormatsOfBareStreams.contains(fileFormat)
    else { return 0 }
    return frameCount
  }

  private static let fileFormatsOfBareStreams: [AudioFileTypeID] = [
    .mpegLayer3, .wave, .rf64, .bw64, .wave64,
  ]
}
