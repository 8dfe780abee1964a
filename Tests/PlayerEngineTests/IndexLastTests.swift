// SPDX-License-Identifier: MIT

import PacketParser
import PlayerEngine
import TestKit
import Testing

/// MPEG-4 files with `moov` behind `mdat`.
@Suite("An index behind the audio")
struct IndexLastTests {
  private let directory = TemporaryDirectory()

  /// Returns the path of an MP3 in an MPEG-4 file, as ffmpeg writes it.
  private func file() -> String {
    let path = directory.file("last.mp4")
    _ = ReferenceDecoder.output(
      "ffmpeg -v error -i '\(Fixtures.path("gapless-1.mp3"))' -map 0:a -c copy '\(path)'")
    return path
  }

  private func play(_ location: String) -> OfflinePlayback {
    let playback = OfflinePlayback([location], rate: 44100, channels: 2)
    playback.run(period: 1024)
    return playback
  }

  @Test("It plays from a file and from a server with ranges, trimmed by its edit list")
  func plays() {
    let path = file()
    let server = LoopbackHTTPServer()
    defer { server.stop() }
    server.serve("/last.mp4", .file(path, type: "audio/mp4", ranges: .honoured))
    let expected = ReferenceDecoder.ffmpeg(path)
    #expect(expected.count > 2 * 170_000)
    for location in [path, server.url("/last.mp4")] {
      let playback = play(location)
      #expect(playback.states.last == .ended)
      let sound = playback.sound.interleaved
      #expect(sound.count == expected.count)
      // ffmpeg's arithmetic differs from ours.
      let difference = zip(sound, expected).reduce(Float(0)) { max($0, abs($1.0 - $1.1)) }
      #expect(difference < 1e-5)
    }
    #expect(server.requests.count == 3)
  }

  @Test("It also plays from a server that does not mention ranges and sends none")
  func unsaid() {
    let path = file()
    let server = LoopbackHTTPServer()
    defer { server.stop() }
    server.serve("/last.mp4", .file(path, type: "audio/mp4"))
    #expect(
      play(server.url("/last.mp4")).sound.interleaved.count == play(path).sound.interleaved.count)
  }

  @Test("It is refused, with the reason, from a server that states that it sends no ranges")
  func refused() {
    let server = LoopbackHTTPServer()
    defer { server.stop() }
    var plan = ResponsePlan.file(file(), type: "audio/mp4")
    plan.fields.append(("Accept-Ranges", "none"))
    server.serve("/last.mp4", plan)
    let playback = play(server.url("/last.mp4"))
    #expect(playback.states.last == .failed)
    let errors = playback.events.compactMap {
      if case .failed(_, let error) = $0 { error } else { nil }
    }
    guard case .parser(let error)? = errors.first?.reason else {
      Issue.record("\(errors)")
      return
    }
    #expect(error.code == .notOptimized)
    #expect(error.message.contains("moov"))
  }
}
