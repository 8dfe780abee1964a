// SPDX-License-Identifier: MIT

public import AudioModel
internal import PlayerEngine

/// A recipe by which another project's encoder makes a file of a WAVE file.
public struct CodecRecipe: Sendable, CustomStringConvertible {
  /// The codec, the container and the encoder.
  public let description: String
  /// The format of the file's packets.
  public let formatID: AudioFormatID
  private let command: String
  private let fileExtension: String
  /// Whether decoding restores the exact samples.
  public let isLossless: Bool
  /// The rate that the encoder works at.
  public let sampleRate: Int

  private init(
    _ name: String, _ formatID: AudioFormatID, _ fileExtension: String, _ command: String,
    isLossless: Bool = false, sampleRate: Int = 44100
  ) {
    description = name
    self.formatID = formatID
    self.fileExtension = fileExtension
    self.command = command
    self.isLossless = isLossless
    self.sampleRate = sampleRate
  }

  /// Whether this build has a decoder for the format.
  public var isDecoded: Bool { DecoderChoice(formatID) != nil }

  /// Encodes `name.wav` of a folder, and returns the path of the encoded file.
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
    _ name: String, _ formatID: AudioFormatID, _ fileExtension: String, _ options: String,
    isLossless: Bool = false, sampleRate: Int = 44100
  ) -> CodecRecipe {
    CodecRecipe(
      name, formatID, fileExtension, "ffmpeg -nostdin -v error -y -i IN \(options) OUT",
      isLossless: isLossless, sampleRate: sampleRate)
  }

  /// Codecs that change the samples, whose files state the first and last frame of the sound; only those that this
  /// build decodes.
  public static let lossy = all.filter { !$0.isLossless && $0.isDecoded }

  /// Codecs that keep the samples; only those that this build decodes.
  public static let lossless = all.filter { $0.isLossless && $0.isDecoded }

  /// Codecs that synthesise noise; only those that this build decodes.
  public static let noisy = [
    ffmpeg("AAC with noise substitution in MPEG-4", .mpeg4AAC, "m4a", "-c:a aac -b:a 64k"),
    ffmpeg("AC-3 in MPEG-4", .ac3, "mp4", "-c:a ac3 -b:a 192k", sampleRate: 48000),
    ffmpeg("E-AC-3 in MPEG-4", .enhancedAC3, "mp4", "-c:a eac3 -b:a 192k", sampleRate: 48000),
  ].filter { $0.isDecoded }

  /// All codecs, including those whose library this build lacks.
  public static let all = [
    CodecRecipe("MP3 by lame, constant rate", .mpegLayer3, "mp3", "lame --quiet -b 192 IN OUT"),
    CodecRecipe("MP3 by lame, variable rate", .mpegLayer3, "mp3", "lame --quiet -V 2 IN OUT"),
    // The noise substitution is off, since two decodes agree on it only from the start of a file.
    ffmpeg("AAC in MPEG-4", .mpeg4AAC, "m4a", "-c:a aac -aac_pns 0 -b:a 192k"),
    ffmpeg("AAC in QuickTime", .mpeg4AAC, "mov", "-c:a aac -aac_pns 0 -b:a 192k"),
    CodecRecipe("Vorbis by oggenc", .vorbis, "ogg", "oggenc -Q -q 6 -o OUT IN"),
    CodecRecipe(
      "Opus by opusenc", .opus, "opus", "opusenc --quiet --bitrate 192 IN OUT", sampleRate: 48000),
    ffmpeg("Opus in MPEG-4", .opus, "mp4", "-c:a libopus -b:a 192k", sampleRate: 48000),
    CodecRecipe("FLAC by flac", .flac, "flac", "flac -s -f -8 IN -o OUT", isLossless: true),
    CodecRecipe("FLAC in Ogg", .flac, "oga", "flac -s -f --ogg IN -o OUT", isLossless: true),
    ffmpeg("FLAC in MPEG-4", .flac, "mp4", "-c:a flac -strict -2", isLossless: true),
    ffmpeg("Apple Lossless in MPEG-4", .appleLossless, "m4a", "-c:a alac", isLossless: true),
    ffmpeg("Apple Lossless in Core Audio", .appleLossless, "caf", "-c:a alac", isLossless: true),
    ffmpeg("AIFF", .linearPCM, "aiff", "", isLossless: true),
  ]
}
