// SPDX-License-Identifier: MIT

import AudioModel
import PlayerEngine

/// The output of `drawbar render --json`: an object for each track, also for tracks that cannot be played.
struct RenderAccounts {
  private var objects: [JSONValue] = []
  /// The failures of tracks whose accounts have not arrived yet.
  private var failures: [Int: PlayerError] = [:]

  /// Adds a location without rendered sound.
  mutating func add(location: String, error: String) {
    append(location, TrackAccount(), error: error)
  }

  /// Handles an event of the player. Call it for each event, in order.
  ///
  /// - Parameter name: the name of a track.
  mutating func take(_ event: PlayerEvent, name: (Int) -> String) {
    switch event {
    case .failed(let index, let error): failures[index] = error
    case .account(let index, let account):
      let failure = failures.removeValue(forKey: index)
      let loss = account.lossDescription.map { "\(name(index)): \($0)" }
      append(failure?.location ?? name(index), account, error: failure.map { "\($0)" } ?? loss)
    default: break
    }
  }

  /// Adds the objects of another list, and its tracks that could not be opened and so have no account.
  mutating func append(_ other: RenderAccounts) {
    objects += other.objects
    for (_, failure) in other.failures.sorted(by: { $0.key < $1.key }) {
      add(location: failure.location, error: "\(failure)")
    }
  }

  /// Prints the objects, one on each line.
  func write() throws {
    var standardOutput = StandardOutput()
    for object in objects {
      object.write(to: &standardOutput)
      standardOutput.write("\n")
    }
    try standardOutput.flush()
  }

  private mutating func append(_ name: String, _ account: TrackAccount, error: String?) {
    objects.append(
      .object(
        [("file", .string(name))] + account.members + [("error", .optional(error?.asMessage))]))
  }
}
