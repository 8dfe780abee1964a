// SPDX-License-Identifier: MIT

import JACKRemoteIO
import OfflineOutput
import PlayerEngine
import RenderCore
import TestKit
import Testing

extension OutputTests {
  @Suite("an output's position")
  struct Position {
    private static let rate = 48000
    private static let period = 256
    /// The length of the fade of a pause, a resume or a seek, in frames.
    private static let fadeFrames = 241

    /// A snapshot of the player.
    private struct Report {
      let frameTime: UInt32
      /// The number of the frame reported as the next one.
      let number: Int
    }

    /// Files whose samples are numbers that continue from the first file to the second.
    private func makeTracks(in directory: TemporaryDirectory) throws -> [String] {
      try [0, 6].map { first in
        let path = directory.file("\(first).wav")
        var writer = try WaveFileWriter(path: path, sampleRate: Self.rate, channels: 1)
        let samples = (1...6 * Self.rate).map { Float(first * Self.rate + $0) / Float(1 << 23) }
        try writer.write(interleaved: samples.span)
        try writer.close()
        return path
      }
    }

    /// Records the player's reported positions for some seconds.
    private func watch(_ player: Player, seconds: Double, into reports: inout [Report]) {
      _ = eventually(seconds: seconds) {
        let snapshot = player.snapshot()
        if let track = snapshot.trackIndex {
          let frame = Double(snapshot.positionNanoseconds) * Double(Self.rate) / 1e9
          reports.append(
            Report(
              frameTime: snapshot.frameTime,
              number: track * 6 * Self.rate + Int(frame.rounded()) + 1))
        }
        return false
      }
    }

    @Test("matches its ports within a period, through pause, seeks, a join and a skip")
    func position() throws {
      try JACKServer.with(.waiting(period: Self.period)) { server in
        let directory = TemporaryDirectory()
        let paths = try makeTracks(in: directory)
        var remote = configuration()
        remote.outputPortNames = ["out_1"]
        let output = try RemoteIO(remote)
        let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 1)
        defer {
          output.close()
          withExtendedLifetime(renderer) {}
        }
        _ = try output.start(rendering: renderer.context)
        let capture = server.startCapture(of: ["\(output.clientName):out_1"], seconds: 15)
        #expect(eventually { (try? server.ports())?.contains { !$0.connections.isEmpty } == true })
        let player = Player(playing: paths, into: renderer)
        var reports: [Report] = []
        player.start()
        watch(player, seconds: 1, into: &reports)
        player.pause()
        watch(player, seconds: 0.4, into: &reports)
        player.resume()
        watch(player, seconds: 0.5, into: &reports)
        player.seek(toNanoseconds: 5_000_000_000)
        // Across the join.
        watch(player, seconds: 1.7, into: &reports)
        player.seek(toNanoseconds: 100_000_000)
        watch(player, seconds: 0.6, into: &reports)
        player.pause()
        watch(player, seconds: 0.2, into: &reports)
        player.seek(byNanoseconds: 2_000_000_000)
        watch(player, seconds: 0.2, into: &reports)
        player.resume()
        watch(player, seconds: 0.5, into: &reports)
        player.previous()
        watch(player, seconds: 0.8, into: &reports)
        player.stop()
        let recorded = try capture.finish().channels[0].map {
          Int(($0 * Float(1 << 23)).rounded())
        }
        compare(reports, with: recorded)
      }
    }

    /// Finds the recording's offset from the server's frame clock, and compares each report with the sound at
    /// the port at that time.
    private func compare(_ reports: [Report], with recorded: [Int]) {
      // The first report in unfaded sound yields the offset.
      var shift: Int?
      for report in reports where shift == nil && report.number > 4800 {
        if let index = recorded.firstIndex(of: report.number) {
          shift = Int(report.frameTime) - index
        }
      }
      guard let shift else {
        Issue.record("no report is in the recording")
        return
      }
      var compared = 0
      for report in reports {
        let index = Int(report.frameTime) - shift
        guard index > Self.fadeFrames, index < recorded.count else { continue }
        let numbers = numbers(around: index, in: recorded)
        guard let difference = numbers.map({ abs(report.number - $0) }).min() else { continue }
        compared += 1
        guard difference <= Self.period else {
          Issue.record("at frame \(index) \(report.number) is said to be next, not \(numbers)")
          return
        }
      }
      #expect(compared > 500, "only \(compared) of \(reports.count) could be compared")
    }

    /// The possible numbers of the next frame at a frame of the recording. In silence these are the number
    /// after the last sound, and the number of the next sound (after a seek while paused). Empty in a fade.
    private func numbers(around index: Int, in recorded: [Int]) -> [Int] {
      var last = index - 1
      while last > 0, recorded[last] == 0 { last -= 1 }
      guard last > Self.fadeFrames else { return [] }
      guard last < index - 1 else {
        return counts(recorded, last - 8) ? [recorded[last] + 1] : []
      }
      var numbers: [Int] = []
      // The sound faded out. The fade's length is known, and no frame is missing in it.
      let start = last - Self.fadeFrames
      if recorded[start] - recorded[start - 1] == 1 {
        numbers.append(recorded[start] + last - start + 1)
      }
      var next = index
      while next < recorded.count, recorded[next] == 0 { next += 1 }
      // The next sound begins without a fade, or fades in.
      for fade in [0, Self.fadeFrames]
      where next + fade + 8 < recorded.count && counts(recorded, next + fade) {
        numbers.append(recorded[next + fade] - fade)
      }
      return numbers
    }

    /// Whether nine numbers are consecutive; two may be so by chance in a fade.
    private func counts(_ recorded: [Int], _ first: Int) -> Bool {
      (first..<first + 8).allSatisfy { recorded[$0 + 1] - recorded[$0] == 1 }
    }
  }
}
