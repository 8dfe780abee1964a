// SPDX-License-Identifier: MIT

import Glibc

extension JACKServer {
  /// Starts a server to examine its metadata. jack2 has one store of metadata for all servers of a user, and a server
  /// that ends removes the store. If another one's end did so meanwhile, the run is repeated.
  ///
  /// - Parameter attempt: one run, which returns its findings for the caller to check.
  /// - Returns: the result of an undisturbed run; nil if eight runs were disturbed.
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

  /// The inode number of the file that holds the metadata; nil while there is none.
  private static var metadataStore: UInt64? {
    var facts = stat()
    return unsafe stat(metadataFolder + "/metadata.db", &facts) == 0 ? UInt64(facts.st_ino) : nil
  }

  private static var metadataFolder: String { "/dev/shm/jack_db-\(getuid())" }

  /// Whether a store of metadata exists.
  public static var hasMetadataStore: Bool { unsafe access(metadataFolder, F_OK) == 0 }

  /// Removes the store of a server that did not end. A jackd that ends cancels its thread that deletes a closed
  /// client's metadata. If that thread holds a lock of the store, jackd waits for the lock for ever, and so does every
  /// server that opens the store later.
  static func removeMetadataStore() {
    for name in ["metadata.db", "__db.001", "__db.002", "__db.003"] {
      unsafe unlink(metadataFolder + "/" + name)
    }
    unsafe rmdir(metadataFolder)
  }
}
