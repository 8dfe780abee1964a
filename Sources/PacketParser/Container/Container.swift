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

  /// A parser for a stream of this kind.
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

  /// A parser for frames that follow those of another kind in one stream of bare frames.
  ///
  /// - Parameter parser: the one of the frames so far.
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

/// What a parser is told when it is made.
struct ParserContext {
  /// Where in the stream its content begins, behind any tag.
  var start: Int64 = 0
  /// What the name or the server says the stream is.
  var hint: AudioFileTypeID?
  /// What the stream's first bytes look like, for the error when nothing is found.
  var suspicion: ForeignContent?
  /// Bytes of the whole stream, when its source knows.
  var totalByteCount: Int64?
  /// The stream's last bytes, when its source cared to read them.
  var tail: [UInt8] = []
  /// `goTo` may be answered: the source can read from any offset.
  var canReposition = false
  /// What the tags so far said.
  var tags = TagCollector()
}
