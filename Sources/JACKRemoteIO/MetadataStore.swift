// SPDX-License-Identifier: MIT

internal import Glibc

/// jack2's store of metadata: a Berkeley DB of the user's, which libjack opens with each client.
///
/// The DB has three files that all processes map (`__db.001` to `__db.003`). The server that ends removes them one
/// by one, without asking whether somebody makes them anew meanwhile. Then the first is a new one and the others are
/// gone; who opens the store next makes an empty one for each, and is ended by SIGBUS at the first look beyond
/// its end. So is everybody after that, servers too, until somebody removes the store.
struct MetadataStore {
  /// The folder.
  let path: String

  private static let pollMicroseconds: UInt32 = 2000
  /// What its files and a client's take of the disk at most, until they are used. Where that is missing, the system
  /// ends the program at the first use, by SIGBUS.
  private static let neededBytes: UInt64 = 512 << 10
  private static let longestMakingNanoseconds: UInt64 = 1_000_000_000

  /// The one that libjack opens.
  static var ofUser: Self { Self(path: "/dev/shm/jack_db-\(getuid())") }

  /// Whether it can be opened: all of its files have a size, or there is nothing, and who opens it makes it.
  var isWhole: Bool {
    guard size(of: "__db.001") ?? 0 > 0 else { return true }
    return ["__db.002", "__db.003"].allSatisfy { size(of: $0) ?? 0 > 0 }
  }

  private func size(of file: String) -> Int? {
    var facts = stat()
    guard unsafe stat(path + "/" + file, &facts) == 0 else { return nil }
    return Int(facts.st_size)
  }

  /// Waits until it is whole, for a second at most: somebody may just be making or removing it.
  ///
  /// - Throws: ``RemoteIOError/brokenMetadataStore(path:)``.
  func check() throws(RemoteIOError) {
    // PipeWire's libjack has another.
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
