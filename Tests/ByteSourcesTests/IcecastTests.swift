// SPDX-License-Identifier: MIT

import ByteSources
import Glibc
import TestKit
import Testing

/// The server that most stations run, with ffmpeg as its studio.
@Suite("A station on icecast2")
struct IcecastTests {
  private static let file = Fixtures.path("mp3-cbr128-44100-2.mp3")
  private static let reserve = Fixtures.path("mp3-cbr320-44100-2.mp3")

  /// A listener that keeps all received bytes and titles.
  private final class Listener {
    let source: any ByteSource
    var stretches: [[UInt8]] = [[]]
    var said: [StreamMetadata] = []

    init(_ url: String) throws {
      source = try openByteSource(url)
    }

    var count: Int { stretches.last?.count ?? 0 }

    /// Reads until a condition holds. Returns false after 3000 reads of at most 10 ms, or at the end.
    func reads(until isSo: (Listener) -> Bool) throws -> Bool {
      for _ in 0..<3000 {
        if isSo(self) { return true }
        let (answer, bytes) = try source.read(timeout: 10 * millisecond)
        stretches[stretches.count - 1] += bytes
        said += source.takeStreamMetadata()
        if answer == .discontinuity { stretches.append([]) }
        if answer == .end { return isSo(self) }
      }
      return false
    }
  }

  /// The number of leading bytes that occur contiguously in the sent bytes.
  private func countFound(_ bytes: some Collection<UInt8>, in sent: [UInt8]) -> Int {
    let bytes = Array(bytes)
    let key = Array(bytes.prefix(400))
    guard let first = key.first else { return 0 }
    for start in sent.indices where sent[start] == first && sent[start...].starts(with: key) {
      return zip(bytes, sent[start...]).prefix { $0 == $1 }.count
    }
    return 0
  }

  /// Restarts the studio, and expects its bytes in two stretches.
  private func expectReturn(of server: IcecastServer, to listener: Listener) throws {
    let again = try server.startSource(Self.file)
    defer { again.signalGroup(SIGKILL) }
    #expect(try listener.reads { $0.stretches.count == 2 && $0.count > 30_000 })
    let sent = IcecastServer.sent(Self.file, times: 4)
    for stretch in listener.stretches {
      #expect(countFound(stretch, in: sent) == stretch.count)
    }
  }

  @Test("delivers the studio's bytes alone, and its changing titles at their byte offsets")
  func titles() throws {
    let server = try IcecastServer()
    defer { server.stop() }
    let studio = try server.startSource(Self.file)
    defer { studio.signalGroup(SIGKILL) }
    let listener = try Listener(server.url())
    let titles = ["Erstes Stück", "It's 'quoted'; and = more", "第三 – Ω"]
    for title in titles {
      #expect(server.setTitle(title))
      let isHeard = try listener.reads { $0.said.last?.title == title }
      #expect(isHeard, "\(title): \(listener.said)")
    }
    let told = listener.said.compactMap(\.title)
    #expect(told == titles)
    #expect(listener.said.allSatisfy { $0.byteOffset % 16000 == 0 })
    #expect(listener.said.map(\.byteOffset) == listener.said.map(\.byteOffset).sorted())
    let information = listener.source.information
    #expect(information.station?.name == "Prüfsender")
    #expect(information.contentType == "audio/mpeg")
    #expect(information.byteCount == nil && !information.isRepositionable)
    #expect(listener.stretches.count == 1 && listener.count > 32000)
    let sent = IcecastServer.sent(Self.file, times: 4)
    #expect(countFound(listener.stretches[0], in: sent) == listener.count)
  }

  @Test("whose studio is lost is requested until it is back, with a reported discontinuity")
  func lostStudio() throws {
    let server = try IcecastServer()
    defer { server.stop() }
    let studio = try server.startSource(Self.file)
    let listener = try Listener(server.url())
    #expect(try listener.reads { $0.count > 50_000 })
    studio.signalGroup(SIGKILL)
    let isAway = try listener.reads {
      $0.source.status.state == .awaitingReconnection && $0.source.status.lossCause == .status(404)
    }
    #expect(isAway, "\(listener.source.status)")
    try expectReturn(of: server, to: listener)
    #expect(listener.source.status.reconnectionAttempt == 0)
    #expect(listener.source.status.reconnectionCount >= 2)
  }

  @Test("that is itself lost and restarted is requested likewise")
  func lostServer() throws {
    let server = try IcecastServer()
    defer { server.stop() }
    let studio = try server.startSource(Self.file)
    let listener = try Listener(server.url())
    #expect(try listener.reads { $0.count > 50_000 })
    server.stop()
    studio.signalGroup(SIGKILL)
    let isAway = try listener.reads {
      if case .connectionRefused = $0.source.status.lossCause { true } else { false }
    }
    #expect(isAway, "\(listener.source.status)")
    try server.restart()
    try expectReturn(of: server, to: listener)
  }

  @Test("with a fallback switches to it when the studio is lost, and back, on one connection")
  func reserve() throws {
    let server = try IcecastServer()
    defer { server.stop() }
    let reserve = try server.startSource(Self.reserve, at: "/reserve")
    defer { reserve.signalGroup(SIGKILL) }
    let studio = try server.startSource(Self.file)
    let listener = try Listener(server.url())
    #expect(try listener.reads { $0.count > 80_000 })
    studio.signalGroup(SIGKILL)
    let (sent, reserveSent) = (
      IcecastServer.sent(Self.file, times: 4), IcecastServer.sent(Self.reserve, times: 4)
    )
    let atLoss = listener.count
    #expect(try listener.reads { $0.count > atLoss + 200_000 })
    let bytes = listener.stretches[0]
    let ofStudio = countFound(bytes, in: sent)
    #expect(ofStudio >= 80_000)
    #expect(countFound(bytes[ofStudio...], in: reserveSent) == bytes.count - ofStudio)
    let again = try server.startSource(Self.file)
    defer { again.signalGroup(SIGKILL) }
    let before = listener.count
    let isBack = try listener.reads { listener in
      let tail = listener.stretches[0].suffix(8000)
      return listener.count > before + 8000 && countFound(tail, in: sent) == tail.count
    }
    #expect(isBack)
    #expect(listener.stretches.count == 1)
    #expect(listener.source.status.reconnectionCount == 0)
  }
}
