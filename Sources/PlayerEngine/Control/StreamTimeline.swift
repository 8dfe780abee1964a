// SPDX-License-Identifier: MIT

internal import RenderCore

/// Maps a count of rendered frames to a track and a time in it, from the output frame that each stream began at.
struct StreamTimeline {
  private struct Entry {
    var outputFrame: UInt64
    var track: Int
    /// Time in the track at `outputFrame`: not zero where a track changes its format midway.
    var startNanoseconds: UInt64
    /// Frames per second of the output from there on.
    var outputRate: Double

    /// Returns the time in the track at an output frame; the entry's own time for earlier frames.
    func time(at frame: UInt64) -> UInt64 {
      let elapsed = frame > outputFrame ? frame - outputFrame : 0
      return startNanoseconds + UInt64(Double(elapsed) * 1_000_000_000 / outputRate)
    }
  }

  private(set) var outputRate: Double
  private var entries: [Entry] = []
  /// The most entries kept; older ones lie beyond any output's latency.
  private static let remembered = 64

  init(outputRate: Double) {
    self.outputRate = outputRate
  }

  /// Notes that a stream of a track begins at a frame.
  ///
  /// - Parameter startNanoseconds: the stream's time in the track after a seek; nil continues the track.
  mutating func begin(track: Int, at outputFrame: UInt64, startNanoseconds: UInt64? = nil) {
    var start = startNanoseconds ?? 0
    if startNanoseconds == nil, let last = entries.last, last.track == track {
      start = last.time(at: outputFrame)
    }
    append(track: track, at: outputFrame, startNanoseconds: start)
  }

  /// Notes a new output rate from a frame on. `droppedNanoseconds` of sound before it, as a rule less than a frame,
  /// were left out. Streams that begin later were noted in the old rate's frames.
  mutating func changeRate(
    to rate: Double, at outputFrame: UInt64, droppedNanoseconds: UInt64 = 0
  ) {
    let droppedFrames = UInt64(Double(droppedNanoseconds) * outputRate / 1_000_000_000)
    let rest = droppedNanoseconds - UInt64(Double(droppedFrames) * 1_000_000_000 / outputRate)
    let rendered = position(at: outputFrame &+ droppedFrames)
    let change = OutputRateChange(
      frame: outputFrame, from: outputRate, to: rate, droppedNanoseconds: droppedNanoseconds)
    outputRate = rate
    guard let rendered else { return }
    let later = entries.filter { $0.outputFrame > outputFrame &+ droppedFrames }
    entries.removeAll { $0.outputFrame > outputFrame }
    append(track: rendered.track, at: outputFrame, startNanoseconds: rendered.nanoseconds + rest)
    for entry in later {
      append(
        track: entry.track, at: change.frame(for: entry.outputFrame),
        startNanoseconds: entry.startNanoseconds)
    }
  }

  private mutating func append(track: Int, at outputFrame: UInt64, startNanoseconds: UInt64) {
    entries.append(
      Entry(
        outputFrame: outputFrame, track: track, startNanoseconds: startNanoseconds,
        outputRate: outputRate))
    if entries.count > Self.remembered { entries.removeFirst() }
  }

  /// Returns the track of an output frame and the time in it; nil before the first stream.
  func position(at outputFrame: UInt64) -> (track: Int, nanoseconds: UInt64)? {
    guard let entry = entries.last(where: { $0.outputFrame <= outputFrame }) ?? entries.first
    else { return nil }
    return (entry.track, entry.time(at: outputFrame))
  }
}
