// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

/// Another JACK client's recording of the program.
enum Recording {
  /// Plays tracks and records both output ports, starting before the first sound.
  ///
  /// The first track is served over HTTP, and its body is held back until `jack_capture` is seen
  /// connected, so no frame is missed, however long that takes.
  ///
  /// - Parameters:
  ///   - seconds: the time after which the recording and then the program are ended; nil: when the
  ///     program ends by itself.
  static func play(
    _ first: String, then others: [String] = [], options: [String] = [],
    bytesPerSecond: UInt64? = nil, seconds: Int? = nil, on jack: JACKServer
  ) throws -> FloatWave {
    let web = LoopbackHTTPServer()
    defer { web.stop() }
    let gate = Gate()
    var plan = ResponsePlan.file(first)
    plan.fault = .stall(afterBytes: 0, until: gate)
    plan.bytesPerSecond = bytesPerSecond
    web.serve("/first", plan)
    let program = Program.start(
      ["play", "--connect", "none"] + options + [web.url("/first")] + others)
    defer { program.signalGroup(SIGKILL) }
    let ports = ["drawbar:out_1", "drawbar:out_2"]
    try #require(eventually { (try? hasPorts(ports, on: jack)) == true }, "\(program.errors)")
    let capture = jack.startCapture(of: ports, seconds: seconds ?? 30)
    defer { capture.stop() }
    try #require(
      eventually {
        (try? jack.ports().filter { ports.contains($0.name) }.allSatisfy {
          $0.connections.count == 1
        }) == true
      }, "jack_capture did not connect")
    gate.open()
    if seconds == nil {
      let end = Program.end(of: program, seconds: 30)
      #expect(end.exit == .status(0))
      #expect(end.output == "" && end.errors == "")
      capture.stop()
      return try capture.finish()
    }
    let wave = try capture.finish()
    program.signalGroup(SIGTERM)
    #expect(Program.end(of: program).exit == .status(0))
    return wave
  }

  private static func hasPorts(_ names: [String], on jack: JACKServer) throws -> Bool {
    let present = try jack.ports().map(\.name)
    return names.allSatisfy { present.contains($0) }
  }
}

/// Stereo frames that can be compared and searched.
struct StereoFrames: Equatable {
  var left: [Float]
  var right: [Float]

  init(interleaved samples: [Float]) {
    left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
    right = stride(from: 1, to: samples.count, by: 2).map { samples[$0] }
  }

  init(_ wave: FloatWave) {
    left = wave.channels[0]
    right = wave.channels[1]
  }

  init(left: [Float], right: [Float]) {
    self.left = left
    self.right = right
  }

  var count: Int { left.count }

  private func isSilent(_ frame: Int) -> Bool { left[frame] == 0 && right[frame] == 0 }

  /// The frames from the first to the last that is not silent.
  var withoutSilentEdges: StereoFrames {
    let sounding = left.indices.filter { !isSilent($0) }
    guard let first = sounding.first, let last = sounding.last else {
      return StereoFrames(left: [], right: [])
    }
    return StereoFrames(left: Array(left[first...last]), right: Array(right[first...last]))
  }

  /// The frames that are not silent.
  var withoutSilence: StereoFrames {
    let sounding = left.indices.filter { !isSilent($0) }
    return StereoFrames(left: sounding.map { left[$0] }, right: sounding.map { right[$0] })
  }

  subscript(range: Range<Int>) -> StereoFrames {
    StereoFrames(left: Array(left[range]), right: Array(right[range]))
  }

  subscript(range: PartialRangeFrom<Int>) -> StereoFrames {
    self[min(range.lowerBound, count)..<count]
  }

  var isSilent: Bool { left.indices.allSatisfy(isSilent) }

  /// True when the first frames, or all if there are fewer, equal those of `other`.
  func hasPrefix(_ other: StereoFrames, ofFrames frames: Int) -> Bool {
    let frames = min(frames, other.count)
    return count >= frames && self[0..<frames] == other[0..<frames]
  }

  /// The number of runs of at least this many silent frames.
  func silences(ofAtLeast frames: Int) -> Int {
    var (run, found) = (0, 0)
    for frame in left.indices {
      run = isSilent(frame) ? run + 1 : 0
      if run == frames { found += 1 }
    }
    return found
  }

  /// The first frame that differs, for a failure's comment; nil when equal.
  func firstDifference(from other: StereoFrames) -> Int? {
    let both = min(count, other.count)
    let difference = (0..<both).first { (frame: Int) -> Bool in
      left[frame] != other.left[frame] || right[frame] != other.right[frame]
    }
    return difference ?? (count == other.count ? nil : both)
  }
}
