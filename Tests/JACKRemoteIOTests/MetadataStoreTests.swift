// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

@testable import JACKRemoteIO

@Suite("JACK's store of metadata")
struct MetadataStoreTests {
  /// How a file of it is.
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

  @Test("can be opened where it has to be made, and where each of its files has a size")
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

  @Test("is waited for while somebody makes it, and told with its folder when nobody does")
  func check() throws {
    let folder = TemporaryDirectory()
    let store = MetadataStore(path: folder.path)
    File.whole.put(folder.file("__db.001"))
    #expect(throws: RemoteIOError.brokenMetadataStore(path: folder.path)) { try store.check() }
    let files = [folder.file("__db.002"), folder.file("__db.003")]
    let maker = JoinableThread {
      // Long enough for the first look.
      usleep(100_000)
      for file in files { File.whole.put(file) }
    }
    defer { maker.join() }
    #expect(throws: Never.self) { try store.check() }
  }
}

extension OutputTests {
  @Suite("a store of metadata that was removed while another program made it")
  struct SpoiltStore {
    /// Leaves one as a server that ended left it, with its second file made anew and empty.
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

    @Test("ends JACK's own tools, and is told by what opens a client here")
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
