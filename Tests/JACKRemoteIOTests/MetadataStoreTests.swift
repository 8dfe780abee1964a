// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

@testable import JACKRemoteIO

@Suite("JACK's metadata store")
struct MetadataStoreTests {
  /// The state of one of the store's files.
  private enum File: CaseIterable {
    case missing
    case empty
    case whole

    func put(_ path: String) {
      unsafe unlink(path)
      guard self != .missing else { return }
      let file = unsafe fopen(path, "wb")
      if self == .whole { unsafe fputs("region", file) }
      unsafe fclose(file)
    }
  }

  @Test("can be opened if it must be created, or if each of its files has a size")
  func layouts() {
    let folder = TemporaryDirectory()
    let store = MetadataStore(path: folder.file("store"))
    #expect(store.isWhole)
    unsafe mkdir(store.path, 0o700)
    for first in File.allCases {
      for second in File.allCases {
        for third in File.allCases {
          first.put(store.path + "/__db.001")
          second.put(store.path + "/__db.002")
          third.put(store.path + "/__db.003")
          let isWhole = first != .whole || (second == .whole && third == .whole)
          #expect(store.isWhole == isWhole, "\(first) \(second) \(third)")
        }
      }
    }
  }

  @Test("is waited for while it is being created, and else reported with its folder")
  func check() throws {
    let folder = TemporaryDirectory()
    let store = MetadataStore(path: folder.path)
    File.whole.put(folder.file("__db.001"))
    #expect(throws: RemoteIOError.brokenMetadataStore(path: folder.path)) { try store.check() }
    let files = [folder.file("__db.002"), folder.file("__db.003")]
    let maker = JoinableThread {
      // Long enough for the first check.
      usleep(100_000)
      for file in files { File.whole.put(file) }
    }
    defer { maker.join() }
    #expect(throws: Never.self) { try store.check() }
  }
}

extension OutputTests {
  @Suite("a metadata store that was removed while another program created it")
  struct SpoiltStore {
    /// Leaves the store of an ended server, with its second file recreated empty.
    private static func with(_ body: () async throws -> Void) async throws {
      let path = MetadataStore.ofUser.path
      let kept = TemporaryDirectory()
      try JACKServer.with { _ in
        try #require(Subprocess.run(["cp", "-a", path, kept.file("store")]).exit == .status(0))
      }
      defer { _ = Subprocess.run(["rm", "-rf", path]) }
      try #require(Subprocess.run(["cp", "-a", kept.file("store"), path]).exit == .status(0))
      try #require(unsafe truncate(path + "/__db.002", 0) == 0)
      try await body()
    }

    @Test("crashes JACK's own tools, and is an error for a client's open here")
    func told() async throws {
      try await Self.with {
        let tool = Subprocess.run(["jack_lsp"], environment: ["JACK_NO_START_SERVER": "1"])
        #expect(tool.exit == .signal(SIGBUS))
        await #expect(processExitsWith: .success) {
          let broken = RemoteIOError.brokenMetadataStore(path: MetadataStore.ofUser.path)
          do throws(RemoteIOError) {
            _ = try RemoteIO(RemoteIO.Configuration())
            exit(3)
          } catch {
            guard error == broken, error.description.contains("/dev/shm/jack_db-") else { exit(4) }
          }
          do throws(JACKGraphError) {
            _ = try JACKGraph()
            exit(5)
          } catch {
            guard case .server(broken) = error else { exit(6) }
          }
        }
      }
    }
  }
}
