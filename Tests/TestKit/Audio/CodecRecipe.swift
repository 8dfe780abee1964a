// SPDX-License-Identifier: MIT

/// How one of other people's encoders makes a file of a WAVE file.
public struct CodecRecipe: Sendable, CustomStringConvertible {
  /// The codec, the container and the encoder.
  public let description: String
  private let command: String
  private let fileExtension: String
  /// Decodes to the very samples.
  public let isLossless: Bool
  /// The rate that the encoder works at.
  public let sampleRate: Int

  private init(
    _ name: String, _ fileExtension: String, _ command: String, isLossless: Bool = false,
    sampleRate: Int = 44100
  ) {
    description = name
    self.fileExtension = fileExtension
    self.command = command
    self.isLossless = isLossless
    self.sampleRate = sampleRate
  }

  /// Encodes `name.wav` of a folder; the path of what was made.
  public func encode(_ name: String, in directory: TemporaryDirectory) -> String {
    let output = directory.file("\(name).\(fileExtension)")
    let line = command.split(separator: " ").map { word in
      switch word {
      case "IN": "'\(directory.file("\(name).wav"))'"
      case "OUT": "'\(output)'"
      default: String(word)
      }
    }
    _ = ReferenceDecoder.output(line.joined(separator: " ") + " >&2")
    return output
  }

  private static func ffmpeg(
    _ name: String, _ fileExtension: String, _ options: String, isLossless: Bool = false,
    sampleRate: Int = 44100
  ) -> CodecRecipe {
    CodecRecipe(
      name, fileExtension, "ffmpeg -nostdin -v error -y -i IN \(options) OUT",
      isLossless: isLossless, sampleRate: sampleRate)
  }

  /// Codecs that change the samples, whose files say where the sound begins and ends.
  public static let lossy = [
    CodecRecipe("MP3 by lame, constant rate", "mp3", "lame --quiet -b 192 IN OUT"),
    CodecRecipe("MP3 by lame, variable rate", "mp3", "lame --quiet -V 2 IN OUT"),
    // Without noise substitution, which no two decodes do alike.
    ffmpeg("AAC in MPEG-4", "m4a", "-c:a aac -aac_pns 0 -b:a 192k"),
    ffmpeg("AAC in QuickTime", "mov", "-c:a aac -aac_pns 0 -b:a 192k"),
    CodecRecipe("Vorbis by oggenc", "ogg", "oggenc -Q -q 6 -o OUT IN"),
    CodecRecipe(
      "Opus by opusenc", "opus", "opusenc --quiet --bitrate 192 IN OUT", sampleRate: 48000),
    ffmpeg("Opus in MPEG-4", "mp4", "-c:a libopus -b:a 192k", sampleRate: 48000),
  ]

  /// Codecs that keep the samples.
  public static let lossless = [
    CodecRecipe("FLAC by flac", "flac", "flac -s -f -8 IN -o OUT", isLossless: true),
    CodecRecipe("FLAC in Ogg", "oga", "flac -s -f --ogg IN -o OUT", isLossless: true),
    ffmpeg("FLAC in MPEG-4", "mp4", "-c:a flac -strict -2", isLossless: true),
    ffmpeg("Apple Lossless in MPEG-4", "m4a", "-c:a alac", isLossless: true),
    ffmpeg("Apple Lossless in Core Audio", "caf", "-c:a alac", isLossless: true),
    ffmpeg("AIFF", "aiff", "", isLossless: true),
  ]
}
