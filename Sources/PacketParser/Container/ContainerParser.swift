// SPDX-License-Identifier: MIT

import AudioModel

/// What a container parser wants next. A parser does no more than look at bytes and answer; moving
/// through the stream, and telling the listener, is `AudioFileStream`'s part.
enum ParserStep {
  /// Look again when this many bytes are there, counted from the present position, or the input
  /// has ended. More than were shown.
  case need(Int)
  /// Go on this many bytes, which may be more than were shown.
  case skip(Int64)
  /// Tell the listener, if the property has a value.
  case found(AudioFileStreamPropertyID)
  /// Tell the listener that bytes were left out.
  case skipped(byteCount: Int64, at: Int64)
  /// Deliver the first `byteCount` of the bytes shown, as `count` packets, and go on behind them.
  case packets(first: Int64, count: Int, byteCount: Int)
  /// The type of the stream is known: let that parser go on from here.
  case detected(Container)
  /// The input has ended and nothing is left to tell.
  case finished
}

/// The kinds of stream that can be parsed.
enum Container {
  case mpegAudio
  case wave
}

/// One kind of stream: bytes in, steps out.
///
/// Slicing must not show: an answer may depend on the parser's state, on the bytes it demanded, and
/// on whether the input has ended, never on how many more bytes happen to be there.
protocol ContainerParser {
  /// What is known of the stream.
  var facts: StreamFacts { get }

  /// Looks at the bytes at stream offset `offset`.
  mutating func step(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep

  /// Where to read on in order to get this packet. Only called once packets can be produced, for a
  /// packet that is not past the end.
  func seekTarget(packet: Int64) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget

  /// The next bytes are those at `target`.
  mutating func reposition(to target: AudioFileStreamSeekTarget)

  /// The next bytes do not continue the last ones, and nobody knows where they are from.
  mutating func loseContinuity(at offset: Int64) throws(AudioFileStreamError)
}
