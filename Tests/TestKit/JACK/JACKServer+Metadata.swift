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
    let path = "/dev/shm/jack_db-\(getuid())/metadata.db"
    return unsafe stat(path, &facts) == 0 ? UInt64(facts.st_ino) : nil
  }
}
