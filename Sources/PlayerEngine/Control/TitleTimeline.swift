// SPDX-License-Identifier: MIT

internal import ByteSources
internal import RenderCore

/// What a station says of the sound that is heard.
public struct StreamTitle: Sendable, Equatable {
  /// The title, most often `artist - title`, on one line; nil when the station names none.
  public var title: String?
  /// The address of a page or picture to go with it, on one line; not to be trusted.
  public var url: String?
  /// The first frame that it is said of, among the frames of sound that the output was given.
  public var outputFrame: UInt64

  /// A title with these parts.
  public init(title: String?, url: String? = nil, outputFrame: UInt64) {
    self.title = title
    self.url = url
    self.outputFrame = outputFrame
  }
}

/// Which title is meant by which frames of the output: what was said of packets in the ring, and of
/// frames that were rendered.
struct TitleTimeline {
  /// Said of packets that have not been rendered yet, by the packets' marks.
  private var coming: [(mark: UInt32, track: Int, metadata: StreamMetadata)] = []
  /// Said of frames, oldest first; nil where a track begins anew and nothing has been said.
  private var entries: [(track: Int, outputFrame: UInt64, title: StreamTitle?)] = []
  /// A station may say something with every packet; entries older than any latency are forgotten.
  private static let remembered = 64
  private static let expected = 1024

  /// Whether something was said of packets that have not been rendered yet.
  var isExpecting: Bool { !coming.isEmpty }

  /// A packet was written with this mark.
  mutating func expect(_ metadata: StreamMetadata, mark: UInt32, track: Int) {
    if coming.count == Self.expected { coming.removeFirst() }
    coming.append((mark, track, metadata))
  }

  /// The packet with this mark begins at this frame. Marks before it were dropped.
  ///
  /// - Returns: what it begins; nil for a mark that is not known.
  mutating func begin(mark: UInt32, at outputFrame: UInt64) -> (track: Int, title: StreamTitle)? {
    guard let index = coming.firstIndex(where: { $0.mark == mark }) else { return nil }
    let (_, track, metadata) = coming[index]
    coming.removeFirst(index + 1)
    let title = StreamTitle(title: metadata.title, url: metadata.url, outputFrame: outputFrame)
    append((track, outputFrame, title))
    return (track, title)
  }

  /// A track begins at this frame, of which nothing has been said yet.
  mutating func beginTrack(_ track: Int, at outputFrame: UInt64) {
    if entries.contains(where: { $0.track == track }) { append((track, outputFrame, nil)) }
  }

  private mutating func append(_ entry: (track: Int, outputFrame: UInt64, title: StreamTitle?)) {
    if entries.count == Self.remembered { entries.removeFirst() }
    entries.append(entry)
  }

  /// The output runs at another rate: what is said of later frames was noted at the old rate's.
  mutating func follow(_ change: OutputRateChange) {
    for index in entries.indices {
      let frame = change.frame(for: entries[index].outputFrame)
      entries[index].outputFrame = frame
      entries[index].title?.outputFrame = frame
    }
  }

  /// What was said of a frame of a track.
  func title(at outputFrame: UInt64, track: Int) -> StreamTitle? {
    entries.last { $0.track == track && $0.outputFrame <= outputFrame }?.title
  }
}
