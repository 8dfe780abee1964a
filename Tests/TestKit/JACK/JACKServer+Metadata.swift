// SPDX-License-Identifier: MIT

import Glibc

extension JACKServer {
  /// Starts a server for a look at metadata. jack2 has one store of them for all servers of a user, and a
  /// server that ends removes it: tries again when another's has done that meanwhile.
  ///
  /// - Parameter attempt: a run, which returns what it saw and leaves the judging to the caller.
  /// - Returns: what an undisturbed run saw; nil when there was none in eight.
  public static func withMetadata<Result>(
    _ attempt: (JACKServer) throws -> Result
  ) throws -> Result? {
    for _ in 0..<8 {
      let result: Result? = try with { server in
        guard eventually({ metadataStore != nil }), let store = metadataStore else { return nil }
        let result = try attempt(server)
        return metadataStore == store ? result : nil
      }
      if let result { return result }
    }
    return nil
  }

  /// The file that the metadata are in, by its number; nil while there is none.
  private static var metadataStore: UInt64? {
    var facts = stat()
    return unsafe stat(metadataFolder + "/metadata.db", &facts) == 0 ? UInt64(facts.st_ino) : nil
  }

  private static var metadataFolder: String { "/dev/shm/jack_db-\(getuid())" }

  /// Whether there is a store of metadata.
  public static var hasMetadataStore: Bool { unsafe access(metadataFolder, F_OK) == 0 }

  /// Removes the store of a server that would not end. jackd that ends cancels the thread that takes back a closed
  /// client's metadata; where that has a lock of the store's, jackd waits for it without end, and so does every
  /// server that opens the store after it.
  static func removeMetadataStore() {
    for name in ["metadata.db", "__db.001", "__db.002", "__db.003"] {
      unsafe unlink(metadataFolder + "/" + name)
    }
    unsafe rmdir(metadataFolder)
  }
}
