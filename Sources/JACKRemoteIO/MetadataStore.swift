// SPDX-License-Identifier: MIT

internal import Glibc

/// jack2's metadata store: a Berkeley DB per user, which libjack opens with each client.
///
/// All processes map three files of the DB (`__db.001` to `__db.003`). A server that ends removes them one by
/// one, without checking whether another process creates them anew meanwhile. Then the first file is new and
/// the others are missing. The next process that opens the store makes them empty, and SIGBUS ends it when it
/// first reads beyond their end. The same happens to every later process, servers included, until the store is
/// removed.
struct MetadataStore {
  /// The store's folder.
  let path: String

  private static let pollMicroseconds: UInt32 = 2000
  /// The most disk space that the first use of the store's files and a client's takes. If it is missing, SIGBUS
  /// ends the program at that use.
  private static let neededBytes: UInt64 = 512 << 10
  private static let longestMakingNanoseconds: UInt64 = 1_000_000_000

  /// The store that libjack opens.
  static var ofUser: Self { Self(path: "/dev/shm/jack_db-\(getuid())") }

  /// Whether the store can be opened: all of its files have a size, or there is none and opening creates them.
  var isWhole: Bool {
    guard size(of: "__db.001") ?? 0 > 0 else { return true }
    return ["__db.002", "__db.003"].allSatisfy { size(of: $0) ?? 0 > 0 }
  }

  private func size(of file: String) -> Int? {
    var facts = stat()
    guard unsafe stat(path + "/" + file, &facts) == 0 else { return nil }
    return Int(facts.st_size)
  }

  /// Waits until the store is whole, a second at most: another process may be creating or removing it.
  ///
  /// - Throws: ``RemoteIOError/brokenMetadataStore(path:)``.
  func check() throws(RemoteIOError) {
    // PipeWire's libjack has a different store.
    if Client.mayLoseServerSilently { return }
    var disk = statvfs()
    if unsafe statvfs("/dev/shm", &disk) == 0,
      UInt64(disk.f_bavail) * UInt64(disk.f_frsize) < Self.neededBytes
    {
      throw .outOfResources("room in /dev/shm; remove files there, or make it larger")
    }
    let deadline = Deadline(nanosecondsFromNow: Self.longestMakingNanoseconds)
    while !isWhole {
      if deadline.hasPassed { throw .brokenMetadataStore(path: path) }
      usleep(Self.pollMicroseconds)
    }
  }
}
