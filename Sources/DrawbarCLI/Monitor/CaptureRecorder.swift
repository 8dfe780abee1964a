// SPDX-License-Identifier: MIT

import Glibc
import RenderCore
import Synchronization

/// A recorder that writes a capture to a file on its own thread. Lost frames are counted, and are silence in the file,
/// so that it keeps time.
final class CaptureRecorder: @unchecked Sendable {
  /// The state of a recording.
  struct Status: Equatable {
    /// Frames per second of the file.
    var sampleRate: Int
    /// Frames in the file.
    var frames: UInt64 = 0
    /// Cycles for which the capture had no room because the disk was too slow, and the frames lost in them.
    var overruns: UInt64 = 0
    var overrunFrames: UInt64 = 0
    /// Frames of the cycles that the server ran without this client.
    var missedFrames: UInt64 = 0
    /// Whether the file ends at lost frames, without the last frames captured after them.
    var isCut = false
    /// The error that ended the recording.
    var failure: String?
  }

  let path: String
  // Used only by the recorder's thread, from its start to its end.
  private var reader: CaptureReader
  private let renderer: Renderer
  private let file: any RecordingFile
  private var samples: [Float] = []
  /// Protects the status.
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

  /// Writes the frames that have arrived by now, and ends the recording.
  ///
  /// - Parameter isGivenUp: polled while the disk is slow; if true, the file is left unfinished.
  /// - Returns: the final status.
  func finish(isGivenUp: () -> Bool) -> Status {
    isStopping.store(true, ordering: .releasing)
    while !hasEnded.load(ordering: .acquiring) {
      if isGivenUp() {
        // The thread is blocked in a write, and ends with the program.
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
        // Loaded before the last pass, so that all frames from before the end are written. Later frames are left out,
        // and so are those behind a gap from a slow disk: with growing gaps the pass would not end.
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
    // The capture has no reader any more: a freewheeling server must not wait for it.
    renderer.remove(reader)
    let frames = file.frameCount
    current.withLock {
      $0.frames = frames
      $0.failure = failure
    }
    hasEnded.store(true, ordering: .releasing)
  }

  /// - Returns: the number of frames read, 0 for a discontinuity; nil if there were none, or if the file ends here.
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

  /// - Returns: the number of frames written before the end.
  private func writeSilence(_ frames: Int, until isEnd: () -> Bool) throws -> Int {
    var written = 0
    // A server that stood still for an hour has missed millions of frames.
    while written < frames, !isEnd() {
      let now = min(frames - written, 8192)
      try file.write(interleaved: [Float](repeating: 0, count: now * reader.channelCount))
      written += now
    }
    return written
  }
}
