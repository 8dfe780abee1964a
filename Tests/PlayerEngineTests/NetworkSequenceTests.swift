// SPDX-License-Identifier: MIT

import ByteSources
import Glibc
import PlayerEngine
import RenderCore
import TestKit
import Testing

/// Random sequences of network faults, each made from its seed. `DRAWBAR_SEQUENCES` sets their total number, and
/// `DRAWBAR_FIRST_SEED` the seed that they begin with (0). `DRAWBAR_SEED` runs one that has failed.
@Suite("A track over a network with random faults")
final class NetworkSequenceTests {
  private let server = LoopbackHTTPServer()
  private let tunnel: TLSTunnel
  private var references: [Setting: Heard] = [:]

  init() throws { tunnel = try TLSTunnel(to: server.port) }

  deinit {
    tunnel.stop()
    server.stop()
  }

  private static func number(_ variable: String) -> UInt64? {
    unsafe getenv(variable).flatMap { unsafe UInt64(String(cString: $0)) }
  }

  /// Seeds of files are below a million, those of stations above.
  private static func seeds(from first: UInt64, parts: UInt64) -> Range<UInt64> {
    guard let seed = number("DRAWBAR_SEED") else {
      let start = first + min(number("DRAWBAR_FIRST_SEED") ?? 0, 900_000)
      return start..<start + (number("DRAWBAR_SEQUENCES") ?? 300) * parts / 3
    }
    return (seed < 1_000_000) == (first < 1_000_000) ? seed..<seed + 1 : 0..<0
  }

  /// A file, and the conditions in which it is played.
  private struct Setting: Hashable {
    var name: String
    var rate: Int
    var place: DecoderThread?

    init(_ name: String, _ chance: inout SplitMix) {
      self.name = name
      rate = [44100, 48000].randomElement(using: &chance)!
      place = [nil, .ahead, .callback].randomElement(using: &chance)!
    }

    var path: String { Fixtures.corpusFolder + name }
  }

  /// The result of playing a track.
  private struct Heard {
    var sound: [[Float]]
    var account: TrackAccount?
    var failures: [PlayerError]

    var frameCount: Int { sound[0].count }
  }

  /// Files with these endings, small enough that each sequence takes milliseconds.
  private static func names(_ endings: [String]) -> [String] {
    Fixtures.corpusNames(endings: endings, below: 70_000)
  }

  /// Returns a random file that plays without faults, and the result of playing it so.
  private func choose(_ names: [String], _ chance: inout SplitMix) -> (Setting, Heard) {
    while true {
      let setting = Setting(names.randomElement(using: &chance)!, &chance)
      let whole = reference(setting)
      if whole.failures.isEmpty { return (setting, whole) }
    }
  }

  /// Retries without a limit and without a pause.
  private var sources: ByteSourceConfiguration {
    var configuration = ByteSourceConfiguration()
    configuration.leastReconnectionNanoseconds = 0
    configuration.leastReconnectionAttempts = 1000
    configuration.reconnectionDelayNanoseconds = 0
    configuration.maximumRetryAfterNanoseconds = 0
    configuration.certificateFile = tunnel.certificateFile
    return configuration
  }

  private func play(
    _ location: String, _ setting: Setting, period: Int, _ sources: ByteSourceConfiguration
  ) -> Heard {
    var configuration = PlayerConfiguration()
    configuration.decoderThread = setting.place
    let playback = OfflinePlayback(
      [location], rate: Double(setting.rate), channels: 2, configuration: configuration,
      sources: sources)
    playback.run(period: period)
    var heard = Heard(sound: playback.sound, failures: [])
    for event in playback.events {
      if case .account(_, let account) = event { heard.account = account }
      if case .failed(_, let error) = event { heard.failures.append(error) }
    }
    return heard
  }

  private func reference(_ setting: Setting) -> Heard {
    if let known = references[setting] { return known }
    let heard = play(setting.path, setting, period: 512, ByteSourceConfiguration())
    references[setting] = heard
    return heard
  }

  private func url(_ path: String, _ chance: inout SplitMix) -> String {
    Int.random(in: 0..<3, using: &chance) == 0 ? tunnel.url(path) : server.url(path)
  }

  @Test("A file plays to the sample, or up to the fault that ends it, and its account agrees")
  func file() throws {
    let names = Self.names([
      ".wav", ".aiff", ".aifc", ".au", ".caf", ".w64", ".rf64", ".bw64", ".flac", ".oga", ".ogg",
      ".opus", ".mp1", ".mp2", ".mp3", ".aac", ".m4a", ".mp4", ".mov", ".3gp",
    ])
    for seed in Self.seeds(from: 0, parts: 2) {
      var chance = SplitMix(state: seed)
      let (setting, whole) = choose(names, &chance)
      let body = contents(ofFile: setting.path)
      let faults = FaultSequence(body, &chance)
      let path = "/\(seed)"
      server.serve(path, inOrder: faults.plans)
      var sources = sources
      sources.stallTimeoutNanoseconds = 100_000_000
      let period = [64, 333, 1024, 4096].randomElement(using: &chance)!
      let heard = play(url(path, &chance), setting, period: period, sources)
      let comment = Comment("seed \(seed), \(setting.name)")
      expectAccount(heard, setting, comment)
      let requests = server.requests.count { $0.target == path }
      if let lasting = faults.lasting, requests >= faults.plans.count, !heard.failures.isEmpty {
        expectStart(heard, of: whole, comment)
        #expect(heard.failures.count == 1 && isReason(lasting, heard.failures[0]), comment)
      } else {
        let isSame = heard.sound == whole.sound
        #expect(isSame, comment)
        #expect(heard.failures == [], comment)
        #expect(heard.account?.lossCount == whole.account?.lossCount, comment)
        #expect(heard.account?.lostNanoseconds == whole.account?.lostNanoseconds, comment)
      }
    }
  }

  @Test("A station plays on after each lost connection, and each loss is counted")
  func station() throws {
    let names = Self.names([".mp1", ".mp2", ".mp3", ".aac"]).filter { name in
      // Undamaged files of a constant bit rate, so that bytes measure sound.
      !["cut", "garbage", "he-v", "free", "id3", "picture", "joined"].contains(where: name.contains)
    }
    for seed in Self.seeds(from: 1_000_000, parts: 1) {
      var chance = SplitMix(state: seed)
      let (setting, whole) = choose(names, &chance)
      let body = contents(ofFile: setting.path)
      let faults = StationSequence(type: "audio/mpeg", &chance) { _ in body }
      let path = "/\(seed)"
      server.serve(path, inOrder: faults.plans)
      let period = [64, 333, 1024, 4096].randomElement(using: &chance)!
      let heard = play(url(path, &chance), setting, period: period, sources)
      let comment = Comment("seed \(seed), \(setting.name)")
      expectAccount(heard, setting, comment)
      #expect(heard.failures.count == 1, comment)
      let interruptions = heard.account?.losses.count { $0.cause == .interruption } ?? 0
      #expect(interruptions == faults.stretches.count - 1, comment)
      // Each cut loses the packet that it divides, the packets next to it and the resampler's tail.
      let bytes = faults.stretches.reduce(0) { $0 + $1.count }
      let most = Double(whole.frameCount) * Double(bytes) / Double(body.count)
      let tolerance = most * 0.1 + Double(8000 * faults.stretches.count)
      #expect(abs(Double(heard.frameCount) - most) < tolerance, comment)
    }
  }

  /// Expects the account to agree with the frames rendered.
  private func expectAccount(_ heard: Heard, _ setting: Setting, _ comment: Comment) {
    guard let account = heard.account else {
      #expect(heard.frameCount == 0, comment)
      return
    }
    let delivered = Double(account.deliveredNanoseconds) * Double(setting.rate) / 1e9
    #expect(abs(delivered - Double(heard.frameCount)) <= 1, comment)
    #expect(!account.losses.contains { $0.cause == .undelivered }, comment)
  }

  /// Expects the sound to be the start of the whole. The resampler's last block is not compared.
  private func expectStart(_ heard: Heard, of whole: Heard, _ comment: Comment) {
    let block = 8192
    #expect(heard.frameCount <= whole.frameCount + block, comment)
    let count = max(0, min(heard.frameCount, whole.frameCount) - block)
    let isStart = zip(heard.sound, whole.sound).allSatisfy { $0.prefix(count) == $1.prefix(count) }
    #expect(isStart, comment)
  }

  /// Returns whether the last answer of a sequence can cause this failure.
  private func isReason(
    _ lasting: (UInt64) -> [ByteSourceError.Reason], _ failure: PlayerError
  ) -> Bool {
    guard case .source(let error) = failure.reason else { return false }
    let byteOffset: UInt64 =
      switch error.reason {
      case .wrongRange(let byteOffset): byteOffset
      case .notResumable(let receivedBytes, _): receivedBytes
      default: 0
      }
    return lasting(byteOffset).contains(error.reason)
  }
}
