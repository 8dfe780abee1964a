// SPDX-License-Identifier: MIT

import ByteSources
import Glibc
import RenderCore
import TestKit
import Testing

@testable import PlayerEngine

@Suite("A track of a list")
final class ListedTrackTests {
  private let folder = TemporaryDirectory()
  private let server = LoopbackHTTPServer()

  deinit {
    server.stop()
  }

  /// Returns the information that a player reports for each track of a list.
  private func tracks(of list: String) throws -> [TrackInformation] {
    let path = folder.file("list.xspf")
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    let bytes = Array(list.utf8)
    #expect(unsafe write(descriptor, bytes, bytes.count) == bytes.count)
    close(descriptor)
    var tracks: [TrackInformation] = []
    let player = SteppedPlayer(
      items: try PlaylistLoader().expand(path).items,
      renderer: Renderer(sampleRate: 44100, outputChannels: 2)
    ) { event in
      if case .track(_, let information) = event { tracks.append(information) }
    }
    while player.step(mayWait: true) == .progressed {}
    return tracks
  }

  private func entry(_ location: String) -> String {
    """
    <track><location>\(location)</location><title>Listed</title><creator>Lister</creator>\
    <album>List</album><duration>7000</duration></track>
    """
  }

  private func list(_ entries: String...) -> String {
    """
    <?xml version="1.0"?><playlist version="1" xmlns="http://xspf.org/ns/0/"><trackList>\
    \(entries.joined())</trackList></playlist>
    """
  }

  @Test("has the name of its tags, and the list's name where the tags have none")
  func names() throws {
    let untagged = Fixtures.path("mp3-short-44100-2.mp3")
    let tagged = folder.file("tagged.mp3")
    _ = ReferenceDecoder.output(
      "ffmpeg -v error -i '\(untagged)' -c copy -metadata title=Own -metadata track=7/12 '\(tagged)'"
    )
    let tracks = try tracks(of: list(entry("file://" + untagged), entry("file://" + tagged)))
    #expect(tracks.map(\.title) == ["Listed", "Own"])
    #expect(tracks.map(\.artist) == ["Lister", "Lister"])
    #expect(tracks.map(\.album) == ["List", "List"])
    #expect(tracks.map(\.trackNumber) == [nil, "7/12"])
    #expect(tracks.allSatisfy { $0.durationNanoseconds != 7_000_000_000 })
  }

  @Test(
    "has the list's length if neither its server nor the track states one; a station has none")
  func durations() throws {
    var plan = ResponsePlan.file(Fixtures.path("mp3-notag-44100-2.mp3"))
    plan.framing = .chunked
    server.serve("/track", plan)
    plan.fields.append(("icy-name", "Sender"))
    server.serve("/station", plan)
    let tracks = try tracks(of: list(entry(server.url("/track")), entry(server.url("/station"))))
    #expect(tracks.map(\.durationNanoseconds) == [7_000_000_000, nil])
    #expect(tracks.map(\.durationEvidence) == [nil, nil])
    #expect(tracks.map(\.title) == ["Listed", nil])
    #expect(tracks.last?.station?.name == "Sender")
  }

  @Test("is seekable if its start can be read again")
  func seekable() throws {
    var plan = ResponsePlan.file(Fixtures.path("mp3-notag-44100-2.mp3"))
    plan.ranges = .honoured
    server.serve("/ranges", plan)
    plan.ranges = .notOffered
    plan.framing = .chunked
    server.serve("/once", plan)
    let expected = [
      (Fixtures.path("mp3-notag-44100-2.mp3"), true), (server.url("/ranges"), true),
      (server.url("/once"), false),
    ]
    for (location, canSeek) in expected {
      let playback = OfflinePlayback([location], rate: 44100, channels: 2)
      while playback.player.lookedAt == 0 || playback.player.state != .playing {
        _ = playback.player.step(mayWait: true)
      }
      playback.player.lookedAt = 0
      _ = playback.player.step(mayWait: true)
      #expect(playback.player.canSeek?.isPossible == canSeek, "\(location)")
      #expect(playback.player.canSeek?.track == 0)
    }
  }

  @Test("that cannot be read again is named without its URL's password")
  func password() throws {
    var plan = ResponsePlan.file(Fixtures.path("mp3-notag-44100-2.mp3"))
    plan.framing = .chunked
    server.serve("/once", plan)
    let url = server.url("/once")
    let secret = "http://user:hunter2@" + url.dropFirst("http://".count)
    let playback = OfflinePlayback(
      [secret, Fixtures.path("mp3-cbr320-44100-2.mp3")], rate: 44100, channels: 2)
    while !playback.events.contains(where: {
      if case .track(1, _) = $0 { true } else { false }
    }) {
      _ = playback.player.step(mayWait: true)
      if playback.player.isBufferReady { playback.crank(64) }
    }
    #expect(playback.player.shownPosition.track == 0)
    playback.player.apply(.seek(toNanoseconds: 0))
    _ = playback.player.step(mayWait: true)
    let refusals = playback.events.compactMap {
      if case .seekFailed(0, let error) = $0 { "\(error)" } else { nil }
    }
    #expect(refusals.count == 1)
    #expect(refusals.first?.contains(url) == true)
    #expect(refusals.first?.contains("hunter2") == false)
  }
}
