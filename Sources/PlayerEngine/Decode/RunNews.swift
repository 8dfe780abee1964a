// SPDX-License-Identifier: MIT

internal import AudioModel
internal import ByteSources
internal import RenderCore

/// The position of a stream's first frame in its track and on the transport's time line.
struct StreamStart {
  var origin: StreamOrigin
  /// Time on a transport's time line, for a stream that does not continue the previous one.
  var transportNanoseconds: UInt64
}

/// The stream and title that begin with the first frame of a run decoded ahead.
struct RunNews {
  /// A stream of decoded frames begins.
  var begun: (stream: CodedStreamDescription, start: StreamStart)?
  /// The station's metadata from here on, and its track.
  var said: (metadata: StreamMetadata, track: Int)?

  var isEmpty: Bool { begun == nil && said == nil }
}
