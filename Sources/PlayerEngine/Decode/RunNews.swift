// SPDX-License-Identifier: MIT

internal import AudioModel
internal import ByteSources
internal import RenderCore

/// Where a stream's first frame belongs.
struct StreamPlace {
  var origin: StreamOrigin
  /// On the time line of a transport, where nothing before it says so.
  var transportNanoseconds: UInt64
}

/// What is new with the first frame of a run that was decoded ahead.
struct RunNews {
  /// A stream of decoded frames begins.
  var begun: (stream: CodedStreamDescription, place: StreamPlace)?
  /// The station says something else from here on, of this track.
  var said: (metadata: StreamMetadata, track: Int)?

  var isEmpty: Bool { begun == nil && said == nil }
}
