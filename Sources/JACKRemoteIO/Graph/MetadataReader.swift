// SPDX-License-Identifier: MIT

internal import CJACK
internal import RenderCore

/// Reads the metadata of all ports and clients. jack2 keeps them in a Berkeley DB that all processes lock, and
/// a killed process can leave it locked. So a separate thread reads, and the caller goes on without metadata
/// after a second.
final class MetadataReader: Sendable {
  private struct Progress {
    var thread: ControlThread?
    var known: [UInt64: [JACKGraph.Property]] = [:]
    var hasGivenUp = false
  }

  /// Protects what is known, between two threads that read a graph.
  private let progress = POSIXMutex(Progress())

  /// Returns each subject's properties, by its number, sorted by key.
  ///
  /// - Parameter areStale: whether they may have changed since the last time.
  func properties(areStale: Bool) -> [UInt64: [JACKGraph.Property]] {
    progress.withLock { progress in
      guard areStale, !progress.hasGivenUp else { return progress.known }
      if progress.thread == nil { progress.thread = try? ControlThread.start() }
      let read = progress.thread?.run(until: Deadline(nanosecondsFromNow: 1_000_000_000)) {
        Self.readAll()
      }
      if let read { progress.known = read } else { progress.hasGivenUp = true }
      return progress.known
    }
  }

  /// Ends the thread.
  func finish() {
    progress.withLock { $0.thread.take()?.finish() }
  }

  private static func readAll() -> [UInt64: [JACKGraph.Property]] {
    var descriptions: UnsafeMutablePointer<jack_description_t>?
    let count = unsafe jack_get_all_properties(&descriptions)
    guard count >= 0, let descriptions = unsafe descriptions else { return [:] }
    defer { unsafe jack_free(descriptions) }
    var all: [UInt64: [JACKGraph.Property]] = [:]
    for index in 0..<Int(count) {
      let description = unsafe descriptions + index
      var properties: [JACKGraph.Property] = []
      for entry in unsafe 0..<Int(description.pointee.property_cnt) {
        let property = unsafe description.pointee.properties[entry]
        guard let key = unsafe property.key, let value = unsafe property.data else { continue }
        let type = unsafe property.type.map { unsafe String(cString: $0) } ?? ""
        unsafe properties.append(
          JACKGraph.Property(
            key: String(cString: key), value: String(cString: value),
            type: type.isEmpty ? nil : type))
      }
      let subject = unsafe description.pointee.subject
      all[subject] = properties.sorted { $0.key < $1.key }
      unsafe jack_free_description(description, 0)
    }
    return all
  }
}
