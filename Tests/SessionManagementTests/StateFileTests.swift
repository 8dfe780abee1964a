// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

@testable import SessionManagement

@Suite("A session's file")
struct StateFileTests {
  private let folder = TemporaryDirectory()

  private var file: StateFile { StateFile(in: folder.file("song/a/drawbar.nABCD")) }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  private func names(in path: String) -> [String] {
    Subprocess.run(["ls", "-A", path]).output.split(separator: "\n").map(String.init)
  }

  @Test("is missing at first, is created with its folders, and reads back unchanged")
  func roundTrip() throws {
    #expect(try file.read() == nil)
    try file.write(SessionStateTests.play)
    #expect(try file.read() == SessionStateTests.play)
    try file.write(SessionStateTests.monitor)
    #expect(try file.read() == SessionStateTests.monitor)
    #expect(names(in: file.directory) == ["state.json"])
  }

  @Test("can be read by its owner alone")
  func secret() throws {
    try file.write(SessionStateTests.play)
    #expect(mode(file.path) == 0o600)
  }

  @Test("is written despite a leftover temporary file of the same process ID, or a link")
  func leftOver() throws {
    try file.write(SessionStateTests.monitor)
    let victim = folder.file("victim")
    try folder.write("kept", "victim")
    let temporary = file.directory + "/.state.json.\(getpid())"
    #expect(unsafe symlink(victim, temporary) == 0)
    try file.write(SessionStateTests.play)
    #expect(String(decoding: contents(ofFile: victim), as: UTF8.self) == "kept")
    #expect(try file.read() == SessionStateTests.play)
    #expect(names(in: file.directory) == ["state.json"])
  }

  @Test("that cannot be written is reported with its path, and the old file stays")
  func unwritable() throws {
    try folder.write("", "file")
    let below = StateFile(in: folder.file("file/drawbar.nABCD"))
    #expect(
      throws: StateFile.Failure.system(
        operation: "create", path: folder.file("file/drawbar.nABCD"), code: ENOTDIR)
    ) { try below.write(SessionStateTests.play) }
    // /proc is the kernel's: no folder can be created there.
    #expect(throws: StateFile.Failure.self) {
      try StateFile(in: "/proc/drawbar/a").write(SessionStateTests.play)
    }
    // A folder has the file's name: the temporary file cannot replace it, and is removed.
    #expect(Subprocess.run(["mkdir", "-p", file.path + "/inside"]).exit == .status(0))
    #expect(throws: StateFile.Failure.self) { try file.write(SessionStateTests.play) }
    #expect(names(in: file.directory) == ["state.json"])
    #expect(names(in: file.path) == ["inside"])
  }

  @Test("is not written if it could not be read back, and the old file stays")
  func unreadable() throws {
    try file.write(SessionStateTests.play)
    func expectRefusal(
      _ member: String, _ change: (inout SessionState, inout PlayState) -> Void
    ) throws {
      var state = SessionStateTests.play
      guard case .play(var play) = state.content else { return }
      change(&state, &play)
      state.content = .play(play)
      let failure = StateFile.Failure.unkeepable(file.path, .member(member))
      #expect(throws: failure) { try file.write(state) }
      #expect(!"\(failure)".contains("move it away"))
    }
    try expectRefusal("title") { $1.playback.tracks[1].title = "a\0b" }
    try expectRefusal("durationSeconds") { $1.playback.tracks[1].durationSeconds = 2e9 }
    try expectRefusal("location") { $1.playback.tracks[0].location = "" }
    try expectRefusal("positionSeconds") { $1.playback.positionSeconds = .nan }
    try expectRefusal("volumePercent") { $1.volumePercent = 401 }
    try expectRefusal("tracks") {
      $1.playback.tracks = Array(repeating: SavedTrack(location: "/"), count: 100_001)
    }
    var large = SessionStateTests.play
    large.directory = String(repeating: "\u{1F3B5}", count: StateFile.largest / 4)
    #expect(throws: StateFile.Failure.tooLarge(file.path)) { try file.write(large) }
    #expect(try file.read() == SessionStateTests.play)
    #expect(names(in: file.directory) == ["state.json"])
  }

  @Test("that is a folder, a pipe or too large is refused at once")
  func notRegular() throws {
    #expect(Subprocess.run(["mkdir", "-p", file.path]).exit == .status(0))
    #expect(throws: StateFile.Failure.notRegular(file.path)) { try file.read() }
    #expect(unsafe rmdir(file.path) == 0 && mkfifo(file.path, 0o600) == 0)
    #expect(throws: StateFile.Failure.notRegular(file.path)) { try file.read() }
    #expect(unsafe unlink(file.path) == 0)
    let size = StateFile.largest + 1
    #expect(Subprocess.run(["truncate", "-s", "\(size)", file.path]).exit == .status(0))
    #expect(throws: StateFile.Failure.notRegular(file.path)) { try file.read() }
  }

  @Test("with other content is reported with its path in one line, and is not touched")
  func corrupt() throws {
    try file.write(SessionStateTests.play)
    let cut = Array(SessionStateTests.play.fileBytes.dropLast(20))
    try folder.write(String(decoding: cut, as: UTF8.self), "song/a/drawbar.nABCD/state.json")
    let error = try #require(throws: StateFile.Failure.self) { _ = try file.read() }
    #expect("\(error)".hasPrefix("\(file.path) cannot be used: it is not JSON (at byte "))
    #expect(!"\(error)".contains("\n"))
    #expect(contents(ofFile: file.path) == cut)
  }
}
