// SPDX-License-Identifier: MIT

import AudioModel

/// The kinds of stream that can be parsed.
enum Container {
  case mpegAudio
  case adts
  /// RIFF WAVE, RF64 and BW64.
  case wave
  case wave64
  case aiff
  case nextSound
  case coreAudio
  case mpeg4
  case flac
  case ogg

  /// Makes a parser for a stream of this kind.
  func makeParser(_ context: ParserContext) -> any ContainerParser {
    switch self {
    case .mpegAudio: MPEGAudioParser(context)
    case .adts: ADTSParser(context)
    case .wave: WaveParser(context)
    case .wave64: WaveParser(context, form: .wave64)
    case .aiff: AIFFParser(context)
    case .nextSound: NextSoundParser(context)
    case .coreAudio: CoreAudioFormatParser(context)
    case .mpeg4: MPEG4Parser(context)
    case .flac: FLACParser(context)
    case .ogg: OggParser(context)
    }
  }

  /// Makes a parser for frames that follow those of another kind in one stream of bare frames.
  ///
  /// - Parameter parser: the parser of the frames so far.
  func makeParser(
    _ context: ParserContext, continuing parser: any ContainerParser
  ) -> any ContainerParser {
    switch (self, parser) {
    case (.adts, let parser as MPEGAudioParser): ADTSParser(context, continuing: parser)
    case (.mpegAudio, let parser as ADTSParser): MPEGAudioParser(context, continuing: parser)
    default: preconditionFailure("only bare frames change their kind")
    }
  }
}

/// The information that a new parser starts with.
struct ParserContext {
  /// The byte offset at which the stream's content begins, after any tag.
  var start: Int64 = 0
  /// The stream's type by its name or the server's statement.
  var hint: AudioFileTypeID?
  /// The stream's apparent content by its first bytes, for the error when nothing is found.
  var suspicion: ForeignContent?
  /// Bytes of the whole stream, if its source knows them.
  var totalByteCount: Int64?
  /// The stream's last bytes, if its source read them.
  var tail: [UInt8] = []
  /// Whether the source can read from any offset, so that a parser may return `goTo`.
  var canReposition = false
  /// The tags read so far.
  var tags = TagCollector()
}
