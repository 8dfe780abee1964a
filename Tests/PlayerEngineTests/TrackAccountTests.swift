// SPDX-License-Identifier: MIT

import PacketParser
import PlayerEngine
import Synchronization
import TestKit
import Testing

@testable import RenderCore

@Suite("The account of a track's sound")
struct TrackAccountTests {
  private static func accounts(_ playback: OfflinePlayback) -> [TrackAccount] {
    playback.events.compactMap { if case .account(_, let account) = $0 { account } else { nil } }
  }

  private static let formats = [
    "-c:a libmp3lame -b:a 96k x.mp3", "-c:a pcm_s16le x.wav", "-c:a flac x.flac",
    "-c:a libopus x.opus", "-c:a libvorbis x.ogg", "-c:a aac x.m4a", "-c:a alac x.caf",
    "-c:a adpcm_ima_wav x.wav",
  ]

  @Test(
    "Of a whole file all stated sound is parsed and rendered, and nothing is lost",
    arguments: formats, [44100, 48000])
  func whole(_ format: String, _ rate: Int) throws {
    let workshop = Workshop()
    try workshop.run(
      "ffmpeg -nostdin -v error -f lavfi -i 'sine=300:r=48000:d=1.3' -ac 2 \(format)")
    let path = workshop.path(String(format.split(separator: " ").last!))
    for place in [nil, .ahead] as [DecoderThread?] {
      var configuration = PlayerConfiguration()
      configuration.decoderThread = place
      let playback = OfflinePlayback(
        [path, path], rate: Double(rate), channels: 2, configuration: configuration)
      playback.run(period: 256)
      let accounts = Self.accounts(playback)
      #expect(accounts.count == 2)
      for account in accounts {
        #expect(account.lossCount == 0)
        #expect(account.lossDescription == nil)
        #expect(account.fetchedByteCount > 0 && account.parsedPacketCount > 0)
        let lengths = [
          account.statedNanoseconds, account.parsedNanoseconds, account.deliveredNanoseconds,
        ]
        #expect(lengths.compactMap(\.self).allSatisfy { abs(Double($0) / 1e9 - 1.3) < 0.1 })
      }
    }
  }

  @Test("Sound is not lost if the end is reported before the cycle's position is published")
  func endBeforePosition() throws {
    let workshop = Workshop()
    try workshop.run(
      "ffmpeg -nostdin -v error -f lavfi -i 'sine=300:r=48000:d=1.3' -c:a pcm_s16le x.wav")
    let playback = OfflinePlayback([workshop.path("x.wav")], rate: 48000, channels: 1)
    let player = try #require(playback.player)
    while player.step(mayWait: true) != .finished {
      guard player.state == .playing, player.isBufferReady else { continue }
      let before = player.control.position.outputFrames
      playback.crank(8192)
      // The player reads the events of a cycle whose position is not published yet.
      let after = player.control.position.outputFrames
      unsafe player.control.storage.shared.pointee.outputFrames.store(before, ordering: .releasing)
      let step = player.step(mayWait: false)
      unsafe player.control.storage.shared.pointee.outputFrames.store(after, ordering: .releasing)
      if step == .finished { break }
    }
    let account = try #require(Self.accounts(playback).first)
    #expect(account.lossDescription == nil)
    #expect(abs(Double(account.deliveredNanoseconds) / 1e9 - 1.3) < 1e-3)
  }

  @Test(
    "A track that is begun again before the start of its sound is reported has a whole account at its end",
    arguments: [[nil, .ahead] as [DecoderThread?]].joined(), [[0], [0, 0], [0, 1]])
  func restartBeforeStart(_ place: DecoderThread?, _ tracks: [Int]) throws {
    let workshop = Workshop()
    let paths = try tracks.map { number in
      try workshop.run("sox -R -n -r 48000 -c 2 -b 16 \(number).wav synth 2 sine 300")
      return workshop.path("\(number).wav")
    }
    var configuration = PlayerConfiguration()
    configuration.decoderThread = place
    let playback = OfflinePlayback(paths, rate: 48000, channels: 2, configuration: configuration)
    let player = try #require(playback.player)
    while player.state != .playing { _ = player.step(mayWait: true) }
    while player.step(mayWait: true) == .progressed {}
    // The cycle reports the start, and the player has not read it.
    playback.crank(256)
    player.apply(.pause)
    player.apply(.restart)
    while player.step(mayWait: true) == .progressed {}
    player.apply(.resume)
    playback.run(period: 256)
    #expect(player.state == .ended)
    let accounts = Self.accounts(playback)
    #expect(accounts.allSatisfy { $0.lossDescription == nil })
    #expect(accounts.count == tracks.count)
    #expect(accounts.allSatisfy { $0.deliveredNanoseconds == 2_000_000_000 })
  }

  @Test("A packet that cannot be decoded is lost once, also if it plays again after a seek")
  func undecodable() throws {
    let workshop = Workshop()
    try workshop.run(
      "ffmpeg -nostdin -v error -f lavfi -i 'sine=300:r=48000:d=3' -c:a libopus -f mp4 whole.m4a")
    var bytes = try workshop.read("whole.m4a")
    let place = try #require(bytes.count > 8000 ? 6000 : nil)
    for index in place..<place + 700 { bytes[index] = 0xFF }
    try workshop.write(bytes, "damaged.m4a")
    let playback = OfflinePlayback([workshop.path("damaged.m4a")], rate: 48000, channels: 1)
    playback.run(period: 256, frames: 120_000)
    playback.player.apply(.seek(toNanoseconds: 0))
    playback.run(period: 256)
    let failed = Set(
      playback.events.compactMap {
        if case .packetFailed(_, let packet, _) = $0 { packet } else { nil }
      })
    let account = try #require(Self.accounts(playback).first)
    #expect(!failed.isEmpty)
    #expect(account.lossCount == failed.count)
    #expect(account.losses.allSatisfy { $0.cause == .undecodable })
    let text = try #require(account.lossDescription)
    #expect(text.hasPrefix("sound is missing"))
    #expect(text.contains("the first at byte offset \(try #require(account.losses[0].byteOffset))"))
    #expect(text.hasSuffix("packets cannot be decoded; try another copy"))
  }

  @Test("A file that is cut has lost its end")
  func cut() throws {
    let workshop = Workshop()
    try workshop.run("sox -n -r 8000 -c 1 -b 16 whole.wav synth 1 sine 300")
    try workshop.write(Array(try workshop.read("whole.wav").prefix(8045)), "cut.wav")
    let playback = OfflinePlayback([workshop.path("cut.wav")], rate: 8000, channels: 1)
    playback.run(period: 100)
    let account = try #require(Self.accounts(playback).first)
    #expect(account.losses.first?.cause == .cut)
    #expect(playback.events.contains { if case .skipped = $0 { true } else { false } })
  }

  /// Returns the accounts of a file played from its start, and from a seek made before its end is read.
  private func accountsWithoutAndWithSeek(
    _ workshop: Workshop, _ bytes: [UInt8], _ name: String
  ) throws -> [TrackAccount] {
    try workshop.write(bytes, name)
    return try [false, true].map { seeks in
      let playback = OfflinePlayback([workshop.path(name)], rate: 48000, channels: 2)
      if seeks { playback.player.apply(.seek(toNanoseconds: 700_000_000)) }
      playback.run(period: 256)
      return try #require(Self.accounts(playback).first)
    }
  }

  /// Makes two seconds of sound with ffmpeg.
  private func tone(_ format: String, in workshop: Workshop) throws -> (name: String, [UInt8]) {
    try workshop.run(
      "ffmpeg -nostdin -v error -f lavfi -i 'sine=300:r=48000:d=2' -ac 2 \(format)")
    let name = String(format.split(separator: " ").last!)
    return (name, try workshop.read(name))
  }

  @Test(
    "A cut file loses its end once, behind a seek as without one",
    arguments: [
      "-c:a pcm_s16le x.wav", "-c:a pcm_s16be x.aiff", "-c:a flac x.flac",
      "-c:a libmp3lame -b:a 96k x.mp3", "-c:a aac -movflags +faststart x.m4a", "-c:a aac x.aac",
      "-c:a libopus x.opus", "-c:a pcm_s24be x.caf",
    ], [0.7, 0.702, 0.70201])
  func cutBehindSeek(_ format: String, _ part: Double) throws {
    let workshop = Workshop()
    let (name, whole) = try tone(format, in: workshop)
    let cut = Array(whole.prefix(Int(Double(whole.count) * part)))
    let accounts = try accountsWithoutAndWithSeek(workshop, cut, "cut-" + name)
    #expect(accounts.allSatisfy { $0.lossCount == 1 }, "\(accounts)")
    #expect(accounts[0].lostNanoseconds == accounts[1].lostNanoseconds)
    // Only the last page of Ogg states a length.
    #expect(accounts.allSatisfy { $0.isLossLengthKnown != name.hasSuffix("opus") })
  }

  @Test(
    "The first damage behind a seek is a loss like any other",
    arguments: ["-c:a libmp3lame -b:a 96k x.mp3", "-c:a aac x.aac", "-c:a flac x.flac"])
  func damageBehindSeek(_ format: String) throws {
    let workshop = Workshop()
    var (name, bytes) = try tone(format, in: workshop)
    let place = bytes.count * 7 / 10
    for index in place..<place + bytes.count / 20 { bytes[index] = 0x55 }
    let accounts = try accountsWithoutAndWithSeek(workshop, bytes, "damaged-" + name)
    #expect(accounts.allSatisfy { $0.lossCount > 0 }, "\(accounts)")
  }

  @Test(
    "A cut file loses its end also if its server states no length",
    arguments: [
      "-c:a pcm_s16le x.wav", "-c:a pcm_s16be x.aiff", "-c:a pcm_s24be x.caf",
      "-c:a aac -movflags +faststart x.m4a",
    ])
  func cutWithoutLength(_ format: String) throws {
    let workshop = Workshop()
    let (name, whole) = try tone(format, in: workshop)
    let cut = Array(whole.prefix(whole.count * 7 / 10))
    try workshop.write(cut, "cut-" + name)
    let web = LoopbackHTTPServer()
    defer { web.stop() }
    var plan = ResponsePlan(body: .bytes(cut), ranges: .honoured)
    plan.framing = .chunked
    web.serve("/" + name, plan)
    let accounts = try [workshop.path("cut-" + name), web.url("/" + name)].map { location in
      let playback = OfflinePlayback([location], rate: 48000, channels: 2)
      playback.run(period: 256)
      return try #require(Self.accounts(playback).first)
    }
    #expect(accounts[0].lostNanoseconds > 500_000_000)
    #expect(accounts[0].lostNanoseconds == accounts[1].lostNanoseconds)
    #expect(accounts.allSatisfy { $0.lossCount == 1 })
  }

  @Test("A loss that continues the last one is the same loss")
  func extended() {
    var account = TrackAccount()
    account.add(SoundLoss(.damage, byteOffset: 100, byteCount: 10, nanoseconds: 5))
    account.add(SoundLoss(.cut, byteOffset: 110, byteCount: 10, nanoseconds: 6))
    account.add(SoundLoss(.cut, byteOffset: 120, nanoseconds: 7))
    #expect(account.lossCount == 2 && account.lostNanoseconds == 18)
    #expect(account.losses.last == SoundLoss(.cut, byteOffset: 110, byteCount: 10, nanoseconds: 13))
    // A packet of unknown length, then the whole missing end.
    var other = TrackAccount()
    other.add(SoundLoss(.cut, byteOffset: 110, byteCount: 10))
    #expect(!other.isLossLengthKnown)
    other.add(SoundLoss(.cut, byteOffset: 120, nanoseconds: 7))
    #expect(other.isLossLengthKnown && other.losses[0].nanoseconds == 7)
    // The losses are reported again after a seek back.
    account.add(SoundLoss(.cut, byteOffset: 110, byteCount: 10, nanoseconds: 6))
    account.add(SoundLoss(.cut, byteOffset: 120, nanoseconds: 7))
    #expect(account.lossCount == 2 && account.lostNanoseconds == 18)
  }

  @Test("A packet that cannot be decoded is lost also if the file is cut behind it")
  func undecodableAndCut() throws {
    let workshop = Workshop()
    try workshop.run(
      "ffmpeg -nostdin -v error -f lavfi -i 'sine=300:r=48000:d=3' -c:a libopus"
        + " -movflags +faststart -f mp4 whole.m4a")
    var bytes = try workshop.read("whole.m4a")
    let end = bytes.count * 9 / 10
    for index in end / 2..<end / 2 + 700 { bytes[index] = 0xFF }
    try workshop.write(Array(bytes.prefix(end)), "damaged.m4a")
    let playback = OfflinePlayback([workshop.path("damaged.m4a")], rate: 48000, channels: 1)
    playback.run(period: 256)
    let account = try #require(Self.accounts(playback).first)
    let causes = Set(account.losses.map(\.cause))
    #expect(causes == [.cut, .undecodable], "\(account.losses)")
  }

  @Test("A skip and a stop report the sound that has played until then")
  func ended() throws {
    let workshop = Workshop()
    try workshop.run("sox -n -r 8000 -c 1 -b 16 a.wav synth 3 sine 300")
    let path = workshop.path("a.wav")
    let playback = OfflinePlayback([path, path, path], rate: 8000, channels: 1)
    playback.run(period: 100, frames: 8000)
    playback.player.apply(.next)
    playback.run(period: 100, frames: 20000)
    playback.player.apply(.stop)
    playback.run(period: 100)
    let told = playback.events.compactMap { event -> Int? in
      if case .account(let index, _) = event { index } else { nil }
    }
    #expect(told == [0, 1])
    let accounts = Self.accounts(playback)
    #expect(accounts.allSatisfy { $0.lossCount == 0 })
    #expect(accounts.allSatisfy { $0.deliveredNanoseconds < 2_000_000_000 })
    #expect(accounts.allSatisfy { $0.deliveredNanoseconds > 500_000_000 })
  }

  @Test("Only the first losses are kept one by one, and all are counted")
  func bounded() {
    var account = TrackAccount()
    for index in 0..<100 {
      let gap = AudioFileStreamGap(
        .damage, byteOffset: Int64(index) * 1000, byteCount: 10, frameCount: 441)
      if let loss = SoundLoss(gap, sampleRate: 44100) { account.add(loss) }
    }
    #expect(account.lossCount == 100)
    #expect(account.losses.count == TrackAccount.maximumLosses)
    #expect(
      account.lossDescription
        == "1.000 s of sound are missing in 100 parts, the first at byte offset 0: "
        + "the data is damaged; try another copy")
    account.add(SoundLoss(.interruption, byteOffset: nil))
    #expect(account.lossDescription?.hasPrefix("at least 1.000 s") == true)
    let junk = AudioFileStreamGap(.foreignBytes, byteOffset: 7, byteCount: 30)
    #expect(SoundLoss(junk, sampleRate: 44100) == nil)
  }
}
