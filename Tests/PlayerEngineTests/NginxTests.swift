// SPDX-License-Identifier: MIT

import ByteSources
import RenderCore
import TestKit
import Testing

@testable import PlayerEngine

@Suite("Playing from nginx")
struct NginxTests {
  private static let rate = Double(CountingWave.sampleRate)

  private func bytes(_ wave: CountingWave) -> [UInt8] { wave.bytes(at: 0, Int(wave.byteCount)) }

  /// Returns the numbers of the sounding frames from an index of the recording on.
  private func numbers(_ playback: OfflinePlayback, from index: Int = 0) -> [Int] {
    (index..<playback.samples[0].count).compactMap { index in
      playback.soundingFrames[index]
        ? CountingWave.number(playback.samples[0][index], playback.samples[1][index]) : nil
    }
  }

  /// Plays a file up to its first sound.
  private func start(_ url: String) -> OfflinePlayback {
    var configuration = PlayerConfiguration()
    configuration.ringBytes = 256 << 10
    configuration.startThresholdNanoseconds = 300_000_000
    let playback = OfflinePlayback(
      [url], rate: Self.rate, channels: 2, configuration: configuration)
    while playback.player.state != .playing { _ = playback.player.step(mayWait: true) }
    for _ in 0..<10 { playback.crank(64) }
    return playback
  }

  private func failures(_ playback: OfflinePlayback) -> [PlayerError] {
    playback.events.compactMap { if case .failed(_, let error) = $0 { error } else { nil } }
  }

  @Test(
    "with one request, at a limited rate, yields the samples of the file",
    arguments: ["gapless-1.mp3", "wav-s16-44100-2.wav"])
  func straight(_ name: String) throws {
    let server = try NginxServer(bytesPerSecond: 1_500_000)
    defer { server.stop() }
    try server.serve(contents(ofFile: Fixtures.path(name)), as: name)
    let local = OfflinePlayback([Fixtures.path(name)], rate: Self.rate, channels: 2)
    local.run(period: 1024)
    let playback = OfflinePlayback([server.url(name)], rate: Self.rate, channels: 2)
    playback.run(period: 1024)
    let isSame = playback.sound == local.sound
    #expect(isSame && playback.sound[0].count > 100_000)
    #expect(eventually { server.answers == [NginxServer.Answer(status: 200, range: "-")] })
  }

  @Test("a seek reaches the exact frame, with at most one range request")
  func seeks() throws {
    let server = try NginxServer(bytesPerSecond: 4_000_000)
    defer { server.stop() }
    let wave = CountingWave(frameCount: 60 * CountingWave.sampleRate)
    try server.serve(bytes(wave), as: "count.wav")
    let playback = start(server.url("count.wav"))
    var random = SplitMix(state: 11)
    let seekCount = 30
    for _ in 0..<seekCount {
      let frame = Int.random(in: 0..<wave.frameCount - 2 * CountingWave.sampleRate, using: &random)
      let here = playback.samples[0].count
      playback.player.apply(
        .seek(toNanoseconds: UInt64((Double(frame) * 1e9 / Self.rate).rounded())))
      while playback.player.seek != nil || playback.player.queuedSeek != nil {
        _ = playback.player.step(mayWait: true)
        playback.crank(64)
      }
      for _ in 0..<12 {
        _ = playback.player.step(mayWait: false)
        playback.crank(64)
      }
      let heard = numbers(playback, from: here)
      let exact = frame + OfflinePlayback.fadeFrames
      let start = try #require(heard.lastIndex(of: exact))
      #expect(heard[start...].elementsEqual(exact..<exact + heard.count - start))
    }
    #expect(failures(playback).isEmpty)
    playback.player.interrupter?.close()
    #expect(eventually { server.answers.count > 1 })
    let answers = server.answers
    #expect(answers.count <= 1 + seekCount)
    #expect(answers.dropFirst().allSatisfy { $0.status == 206 && $0.range.hasPrefix("bytes=") })
  }

  @Test("a replaced file is not joined to the old one, and none of it plays")
  func replaced() throws {
    let server = try NginxServer(bytesPerSecond: 4_000_000)
    defer { server.stop() }
    let old = CountingWave(frameCount: 20 * CountingWave.sampleRate)
    let new = CountingWave(frameCount: 21 * CountingWave.sampleRate)
    try server.serve(bytes(old), as: "count.wav")
    let playback = start(server.url("count.wav"))
    // The entity tag is made of length and time; without the XOR these would be parts of the same numbers.
    try server.serve(bytes(new).map { $0 ^ 0x55 }, as: "count.wav")
    playback.player.apply(.seek(toNanoseconds: 15_000_000_000))
    playback.run(period: 64)
    let heard = numbers(playback)
    // The last frames fade out, so they are other numbers.
    let fade = OfflinePlayback.fadeFrames
    let isOld = heard.dropLast(fade).elementsEqual(0..<max(0, heard.count - fade))
    #expect(isOld && heard.count > 1000)
    let reasons = failures(playback).map(\.reason)
    guard case .source(let error)? = reasons.first else {
      Issue.record("\(reasons)")
      return
    }
    #expect(error.reason == .changed && reasons.count == 1)
    #expect(playback.states.last == .failed)
    let isSought = playback.events.contains { if case .sought = $0 { true } else { false } }
    #expect(!isSought)
  }

  @Test("is opened again for a replaced file, and plays the new one whole")
  func opensReplaced() throws {
    let server = try NginxServer()
    defer { server.stop() }
    let waves = [2, 3].map { CountingWave(frameCount: $0 * CountingWave.sampleRate) }
    for wave in waves {
      try server.serve(bytes(wave), as: "count.wav")
      let playback = OfflinePlayback([server.url("count.wav")], rate: Self.rate, channels: 2)
      playback.run(period: 1024)
      #expect(numbers(playback).elementsEqual(0..<wave.frameCount))
    }
  }

  @Test("playback continues at the frame after nginx was killed and restarted")
  func restarted() throws {
    let server = try NginxServer(bytesPerSecond: 2_000_000)
    defer { server.stop() }
    let wave = CountingWave(frameCount: 20 * CountingWave.sampleRate)
    try server.serve(bytes(wave), as: "count.wav")
    let playback = start(server.url("count.wav"))
    server.stop()
    func isRefused() -> Bool {
      guard let status = playback.player.interrupter?.status else { return false }
      guard case .connectionRefused? = status.lossCause else { return false }
      return status.state == .awaitingReconnection
    }
    while !isRefused(), playback.player.step(mayWait: true) != .finished {
      playback.crank(64)
    }
    try server.restart()
    playback.run(period: 64)
    #expect(numbers(playback).elementsEqual(0..<wave.frameCount))
    #expect(failures(playback).isEmpty && playback.states.last == .ended)
    #expect(server.answers.contains { $0.status == 206 && $0.range != "-" })
  }
}
