// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

@testable import MediaControl

/// Tests on a real bus with existing clients. A build without the library cannot run them.
@Suite("A player on the session bus", .enabled(if: MPRISService.isBuiltIn))
struct MPRISServiceTests {
  static let path = "/org/mpris/MediaPlayer2"
  static let root = "org.mpris.MediaPlayer2"
  static let interface = "org.mpris.MediaPlayer2.Player"
  static let name = "org.mpris.MediaPlayer2.drawbar.instance\(getpid())"
  static let identity = MediaPlayerIdentity(
    busName: "drawbar", name: "Drawbar", uriSchemes: ["file", "https"], mimeTypes: ["audio/flac"])

  static var playing: NowPlaying {
    var state = RemoteRequestTests.playing
    state.track?.title = "Sweep\u{FFFE}"
    state.track?.artist = "The Drawbars"
    state.track?.album = "Évenings"
    state.track?.url = "file:///music/a%20b.mp3"
    state.volume = 0.5
    return state
  }

  /// Runs a test with a player on its own bus.
  static func withPlayer(
    _ state: NowPlaying = playing, _ body: (SessionBusServer, ServedPlayer) throws -> Void
  ) throws {
    let bus = try SessionBusServer()
    let player = ServedPlayer(identity, state: state, address: bus.address)
    defer { player.stop() }
    try #require(eventually { bus.names(from: name) == [name] })
    try body(bus, player)
  }

  /// Calls a method of the player's interface: its name, the signature of its arguments, and the arguments.
  static func call(_ bus: SessionBusServer, _ arguments: [String]) throws -> String {
    try bus.busctl(["call", "--", name, path, interface] + arguments)
  }

  @Test("has the properties of both interfaces, each of its MPRIS type")
  func properties() throws {
    try Self.withPlayer { bus, _ in
      func all(_ interface: String) throws -> String {
        try bus.busctl([
          "call", Self.name, Self.path, "org.freedesktop.DBus.Properties", "GetAll", "s", interface,
        ])
      }
      let (root, interface) = (try all(Self.root), try all(Self.interface))
      #expect(
        root == """
          a{sv} 6 "CanQuit" b true "CanRaise" b false "HasTrackList" b false \
          "Identity" s "Drawbar" "SupportedUriSchemes" as 2 "file" "https" \
          "SupportedMimeTypes" as 1 "audio/flac"
          """)
      #expect(
        interface == """
          a{sv} 14 "PlaybackStatus" s "Playing" "LoopStatus" s "None" "Rate" d 1 \
          "Metadata" a{sv} 6 "mpris:trackid" o "/drawbar/track/3" "mpris:length" x 60000000 \
          "xesam:title" s "Sweep\\\\u{fffe}" "xesam:artist" as 1 "The Drawbars" \
          "xesam:album" s "\\303\\211venings" "xesam:url" s "file:///music/a%20b.mp3" \
          "Volume" d 0.5 "Position" x 30000000 "MinimumRate" d 1 "MaximumRate" d 1 \
          "CanGoNext" b true "CanGoPrevious" b true "CanPlay" b true "CanPause" b true \
          "CanSeek" b true "CanControl" b true
          """)
    }
  }

  @Test("is recognised by playerctl, and passes its requests on")
  func playerctl() throws {
    try Self.withPlayer { bus, player in
      let line = try bus.playerctl([
        "metadata", "--format", "{{status}} {{artist}} {{album}} {{duration(position)}}",
      ])
      #expect(line == "Playing The Drawbars Évenings 0:30")
      for arguments in [
        ["pause"], ["play-pause"], ["next"], ["previous"], ["position", "12.5"],
        ["position", "5+"], ["volume", "0.25"], ["loop", "Playlist"], ["stop"],
        ["open", "https://radio.example/live"],
      ] {
        #expect(throws: Never.self) { try bus.playerctl(arguments) }
      }
      let wanted: [RemoteCommand] = [
        .pause, .pause, .next, .previous, .seekTo(nanoseconds: 12_500_000_000),
        .seekBy(nanoseconds: 5_000_000_000), .setVolume(0.25), .setLoop(.playlist), .stop,
        .open(url: "https://radio.example/live"),
      ]
      // Each request is answered before the player receives its command.
      #expect(eventually { player.commands == wanted })
      _ = try bus.busctl(["call", Self.name, Self.path, Self.root, "Quit"])
      #expect(eventually { player.commands.last == .quit })
    }
  }

  @Test("describes itself to clients that ask")
  func introspection() throws {
    try Self.withPlayer { bus, _ in
      let lines = try bus.busctl([
        "introspect", "--no-legend", "--no-pager", Self.name, Self.path, Self.interface,
      ]).split(separator: "\n").map { line in
        line.split(separator: " ").map(String.init)
      }
      func line(_ member: String) -> [String]? { lines.first { $0.first == member } }
      #expect(line(".SetPosition") == [".SetPosition", "method", "ox", "-", "-"])
      #expect(line(".Seeked") == [".Seeked", "signal", "x", "-", "-"])
      #expect(line(".Position") == [".Position", "property", "x", "30000000", "-"])
      #expect(line(".Volume") == [".Volume", "property", "d", "0.5", "emits-change", "writable"])
      #expect(lines.count == 9 + 1 + 14)
    }
  }

  @Test("refuses wrong types and invalid values, ignores what MPRIS ignores, and continues")
  func hostileRequests() throws {
    try Self.withPlayer { bus, player in
      func set(_ property: String, _ type: String, _ value: String) throws {
        _ = try bus.busctl([
          "set-property", "--", Self.name, Self.path, Self.interface, property, type, value,
        ])
      }
      let refused: [(answer: String, attempt: () throws -> Void)] = [
        ("Invalid arguments", { _ = try Self.call(bus, ["Seek", "s", "far"]) }),
        ("Invalid arguments", { _ = try Self.call(bus, ["Seek"]) }),
        (
          "Invalid arguments",
          { _ = try Self.call(bus, ["SetPosition", "sx", "/drawbar/track/3", "1"]) }
        ),
        ("SupportedUriSchemes", { _ = try Self.call(bus, ["OpenUri", "s", "/etc/passwd"]) }),
        ("Unknown method", { _ = try Self.call(bus, ["Explode"]) }),
        ("Not a number", { try set("Volume", "d", "nan") }),
        ("", { try set("Volume", "s", "loud") }),
        ("None, Track or Playlist", { try set("LoopStatus", "s", "Sometimes") }),
        ("not writable", { try set("Position", "x", "1") }),
        ("not writable", { try set("CanControl", "b", "false") }),
        ("Unknown", { try set("None", "b", "true") }),
      ]
      for (answer, attempt) in refused {
        let failure = #expect(throws: SessionBusServer.Failure.self) { try attempt() }
        #expect(failure?.description.contains(answer) == true, "\(String(describing: failure))")
      }
      #expect(player.commands == [])
      _ = try Self.call(bus, ["SetPosition", "ox", "/drawbar/track/2", "1"])
      _ = try Self.call(bus, ["SetPosition", "ox", "/drawbar/track/3", "-1"])
      _ = try bus.busctl(["call", Self.name, Self.path, Self.root, "Raise"])
      #expect(player.commands == [])
      _ = try Self.call(bus, ["Seek", "x", "\(Int64.min)"])
      try set("Volume", "d", "-inf")
      #expect(eventually { player.commands == [.seekTo(nanoseconds: 0), .setVolume(0)] })
    }
  }

  @Test("signals a change once, a jump of the position by its own signal, and nothing else")
  func signals() throws {
    try Self.withPlayer { bus, player in
      let monitor = try bus.monitor()
      defer { monitor.signalGroup(SIGTERM) }
      func signals() -> [String] {
        monitor.output.split(separator: "\n").compactMap { line in
          guard line.hasPrefix("signal"), line.contains(Self.path) else { return nil }
          return line.split(separator: "member=").last.map(String.init)
        }
      }
      #expect(signals() == [])
      // Clients extrapolate the position while it plays; in a pause it does not move.
      player.state.status = .paused
      #expect(eventually { monitor.output.contains("string \"Paused\"") })
      player.state.positionNanoseconds += 100_000_000
      player.state.volume = 0.75
      #expect(eventually { monitor.output.contains("double 0.75") })
      #expect(signals().filter { $0 == "PropertiesChanged" }.count == 2)
      let seeks = signals().filter { $0 == "Seeked" }.count
      player.state.positionNanoseconds = 45_000_000_000
      #expect(eventually { monitor.output.contains("int64 45000000") })
      player.state.track?.title = "Another"
      #expect(eventually { monitor.output.contains("string \"Another\"") })
      #expect(signals().filter { $0 == "PropertiesChanged" }.count == 3)
      #expect(signals().filter { $0 == "Seeked" }.count == seeks + 1)
      #expect(!monitor.output.contains("string \"Position\""))
    }
  }

  @Test("continues without the bus when the bus ends")
  func lostBus() throws {
    let bus = try SessionBusServer()
    let player = ServedPlayer(Self.identity, state: Self.playing, address: bus.address)
    defer { player.stop() }
    try #require(eventually { bus.names(from: Self.name) == [Self.name] })
    bus.stop()
    #expect(eventually { !player.isOnBus })
    player.state.status = .paused
    #expect(player.commands == [])
  }

  @Test("is nil without a bus, or with an invalid address")
  func noBus() {
    for address in ["unix:path=/nowhere/bus", "", "autolaunch:", "nonsense", "unix:"] {
      let service = MPRISService(Self.identity, state: NowPlaying(), address: address)
      #expect(service == nil, "\(address)")
    }
  }

  @Test("does not wait for a bus that does not answer")
  func silentBus() throws {
    let folder = TemporaryDirectory()
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &name.sun_path) { path in
      unsafe path.copyBytes(from: folder.file("bus").utf8)
    }
    let bound = unsafe withUnsafePointer(to: &name) { name in
      unsafe name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0 && listen(listener, 1) == 0)
    let start = monotonicSeconds()
    let service = MPRISService(
      Self.identity, state: NowPlaying(), address: "unix:path=" + folder.file("bus"))
    try #require(service != nil)
    for step in 0..<1000 {
      var state = Self.playing
      state.volume = Double(step)
      service?.update(state)
      #expect(service?.nextCommand() == nil)
    }
    #expect(monotonicSeconds() - start < 1)
  }
}
