// SPDX-License-Identifier: MIT

/// Where each stream began in the frames given to the output: what turns a count of rendered frames
/// into a track and a time in it.
struct StreamTimeline {
  private struct Entry {
    var outputFrame: UInt64
    var track: Int
    /// Time in the track at `outputFrame`: not zero where a track changes its format on the way.
    var startNanoseconds: UInt64
  }

  private let outputRate: Double
  private var entries: [Entry] = []
  /// Boundaries older than what any output's latency can hold are forgotten.
  private static let remembered = 64

  init(outputRate: Double) {
    self.outputRate = outputRate
  }

  /// Notes that a stream of a track begins at a frame.
  ///
  /// - Parameter startNanoseconds: the time in the track that it begins with, where a seek led there.
  mutating func begin(track: Int, at outputFrame: UInt64, startNanoseconds: UInt64? = nil) {
    var start = startNanoseconds ?? 0
    if startNanoseconds == nil, let last = entries.last, last.track == track {
      start = last.startNanoseconds + nanoseconds(outputFrame &- last.outputFrame)
    }
    entries.append(Entry(outputFrame: outputFrame, track: track, startNanoseconds: start))
    if entries.count > Self.remembered { entries.removeFirst() }
  }

  /// The track that the frame belongs to, and the time in it; nil before the first stream.
  func position(at outputFrame: UInt64) -> (track: Int, nanoseconds: UInt64)? {
    guard let entry = entries.last(where: { $0.outputFrame <= outputFrame }) ?? entries.first
    else { return nil }
    let elapsed = outputFrame > entry.outputFrame ? outputFrame - entry.outputFrame : 0
    return (entry.track, entry.startNanoseconds + nanoseconds(elapsed))
  }

  private func nanoseconds(_ frames: UInt64) -> UInt64 {
    UInt64(Double(frames) * 1_000_000_000 / outputRate)
  }
}
