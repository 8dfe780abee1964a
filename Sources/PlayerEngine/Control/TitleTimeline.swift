// SPDX-License-Identifier: MIT

internal import ByteSources
internal import RenderCore

/// A station's title for the sound from an output frame on.
public struct StreamTitle: Sendable, Equatable {
  /// The title, most often `artist - title`, on one line; nil when the station names none.
  public var title: String?
  /// The URL of a page or picture for the title, on one line; untrusted.
  public var url: String?
  /// The first frame with this title, counted in frames of sound passed to the output.
  public var outputFrame: UInt64

  /// A title with these parts.
  public init(title: String?, url: String? = nil, outputFrame: UInt64) {
    self.title = title
    self.url = url
    self.outputFrame = outputFrame
  }
}

/// The titles of rendered frames, and of packets in the ring that are not rendered yet.
struct TitleTimeline {
  /// Titles of packets that are not rendered yet, by the packets' marks.
  private var coming: [(mark: UInt32, track: Int, metadata: StreamMetadata)] = []
  /// Titles of rendered frames, oldest first; nil where a track restarts without a title.
  private var entries: [(track: Int, outputFrame: UInt64, title: StreamTitle?)] = []
  /// A station may send a title with every packet; older entries lie beyond any latency.
  private static let remembered = 64
  private static let expected = 1024

  /// Whether packets with a new title are still to be rendered.
  var isExpecting: Bool { !coming.isEmpty }

  /// Notes a title that begins with the packet of this mark.
  mutating func expect(_ metadata: StreamMetadata, mark: UInt32, track: Int) {
    if coming.count == Self.expected { coming.removeFirst() }
    coming.append((mark, track, metadata))
  }

  /// Notes that the packet with this mark begins at this frame. Earlier marks were dropped.
  ///
  /// - Returns: the track and title that begin; nil for an unknown mark.
  mutating func begin(mark: UInt32, at outputFrame: UInt64) -> (track: Int, title: StreamTitle)? {
    guard let index = coming.firstIndex(where: { $0.mark == mark }) else { return nil }
    let (_, track, metadata) = coming[index]
    coming.removeFirst(index + 1)
    let title = StreamTitle(title: metadata.title, url: metadata.url, outputFrame: outputFrame)
    append((track, outputFrame, title))
    return (track, title)
  }

  /// Notes that a track begins at this frame, without a title yet.
  mutating func beginTrack(_ track: Int, at outputFrame: UInt64) {
    if entries.contains(where: { $0.track == track }) { append((track, outputFrame, nil)) }
  }

  private mutating func append(_ entry: (track: Int, outputFrame: UInt64, title: StreamTitle?)) {
    if entries.count == Self.remembered { entries.removeFirst() }
    entries.append(entry)
  }

  /// Converts the frames of later titles from the old output rate to the new one.
  mutating func follow(_ change: OutputRateChange) {
    for index in entries.indices {
      let frame = change.frame(for: entries[index].outputFrame)
      entries[index].outputFrame = frame
      entries[index].title?.outputFrame = frame
    }
  }

  /// Returns the title of an output frame in a track.
  func title(at outputFrame: UInt64, track: Int) -> StreamTitle? {
    entries.last { $0.track == track && $0.outputFrame <= outputFrame }?.title
  }
}
