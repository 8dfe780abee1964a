// SPDX-License-Identifier: MIT

import Glibc
import RenderCore
import Synchronization

/// Writes what a capture brings into a file, on a thread of its own. Frames that were lost are silence in
/// the file, so that it keeps time, and are counted.
final class CaptureRecorder: @unchecked Sendable {
  /// How it goes.
  struct Status: Equatable {
    /// Frames per second of the file.
    var sampleRate: Int
    /// Frames in the file.
    var frames: UInt64 = 0
    /// Cycles for which there was no room because the disk was too slow, and the frames that were lost.
    var overruns: UInt64 = 0
    var overrunFrames: UInt64 = 0
    /// Frames that the server went on without.
    var missedFrames: UInt64 = 0
    /// The file ends before what had come at the end, behind frames that were lost.
    var isCut = false
    /// What the disk said, when it was over.
    var failure: String?
  }

  let path: String
  // The thread's, from its start to its end.
  private var reader: CaptureReader
  private let renderer: Renderer
  private let file: any RecordingFile
  private var samples: [Float] = []
  /// Protects what is told of it.
  private let current: Mutex<Status>
  private let isStopping = Atomic<Bool>(false)
  private let hasEnded = Atomic<Bool>(false)
  private var thread: JoinedThread?

  /// Creates the file.
  init(
    _ reader: consuming CaptureReader, of renderer: Renderer, into path: String, sampleRate: Int
  ) throws {
    self.path = path
    self.renderer = renderer
    current = Mutex(Status(sampleRate: sampleRate))
    let channels = reader.channelCount
    file =
      path.lowercased().hasSuffix(".flac")
      ? try FLACRecordingFile(path: path, sampleRate: sampleRate, channels: channels)
      : try WaveRecordingFile(path: path, sampleRate: sampleRate, channels: channels)
    self.reader = reader
  }

  var status: Status { current.withLock { $0 } }

  func start() {
    thread = JoinedThread(for: "the recorder") { self.run() }
  }

  /// Writes what has come by now, and ends.
  ///
  /// - Parameter isGivenUp: asked while it waits for the disk; the file is then left as it is.
  /// - Returns: what it has come to.
  func finish(isGivenUp: () -> Bool) -> Status {
    isStopping.store(true, ordering: .releasing)
    while !hasEnded.load(ordering: .acquiring) {
      if isGivenUp() {
        // It sits in a write, and ends with the program.
        thread = nil
        var status = status
        status.failure = "\(path) is not finished: the disk was too slow, and was not waited for"
        return status
      }
      usleep(5000)
    }
    thread?.join()
    thread = nil
    return status
  }

  private func run() {
    var failure: String?
    do {
      while true {
        // Before the last look, so that nothing that came before the end is left. What comes after it is left,
        // and what is behind a gap that a slow disk has made: there would be no end, while the gaps grow.
        let isLast = isStopping.load(ordering: .acquiring)
        var left = isLast ? reader.availableFrames : .max
        while left > 0, let frames = try step(isLast: isLast) { left -= frames }
        if isLast || status.isCut { break }
        usleep(20_000)
      }
      try file.close()
    } catch {
      failure = "\(error)"
    }
    // Nobody reads it any more: a server that freewheels is not to wait for that.
    renderer.remove(reader)
    let frames = file.frameCount
    current.withLock {
      $0.frames = frames
      $0.failure = failure
    }
    hasEnded.store(true, ordering: .releasing)
  }

  /// - Returns: the frames that were read, 0 for a discontinuity; nil when there was nothing, or nothing more
  ///   belongs into the file.
  private func step(isLast: Bool) throws -> Int? {
    samples.removeAll(keepingCapacity: true)
    let channels = reader.channelCount
    var written = 0
    var readFrames = 0
    var isCut = false
    let item = reader.read(atMost: 8192) { frames, channel, span in
      if channel == 0 {
        written = frames.frameCount
        samples = [Float](repeating: 0, count: written * channels)
      }
      for index in span.indices { samples[index * channels + channel] = span[index] }
    }
    switch item {
    case .empty: return nil
    case .frames:
      try file.write(interleaved: samples)
      readFrames = written
    case .discontinuity(.overrun) where isLast: isCut = true
    case .discontinuity(.overrun(let frames)):
      written = try writeSilence(Int(frames)) { isStopping.load(ordering: .acquiring) }
      isCut = written < frames
    case .discontinuity(.missed(let frames)): written = try writeSilence(Int(frames)) { false }
    case .discontinuity(.unmeasured): break
    }
    let counters = reader.counters
    current.withLock {
      $0.frames += UInt64(written)
      $0.overruns = counters.overruns
      $0.overrunFrames = counters.overrunFrames
      $0.missedFrames = counters.missedFrames
      $0.isCut = isCut
    }
    return isCut ? nil : readFrames
  }

  /// - Returns: the frames that it came to before the end.
  private func writeSilence(_ frames: Int, until isEnd: () -> Bool) throws -> Int {
    var written = 0
    // A server that stood still for an hour has missed millions.
    while written < frames, !isEnd() {
      let now = min(frames - written, 8192)
      try file.write(interleaved: [Float](repeating: 0, count: now * reader.channelCount))
      written += now
    }
    return written
  }
}
