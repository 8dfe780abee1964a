// SPDX-License-Identifier: MIT

import ArgumentParser
import AudioModel
import ByteSources
import PlayerEngine
import RenderCore
import Synchronization

/// Opens a location that another program asks for, on a thread of its own, while the player plays on. The
/// player gets only what can be played.
final class TrackProbe {
  /// Where a location leads.
  struct Outcome: Sendable {
    /// The tracks, the first of which can be played; none where nothing can.
    var items: [PlaylistItem] = []
    /// Failures, each a message.
    var failures: [String] = []
  }

  private final class Shared: Sendable {
    /// Protects the outcome, once there is one.
    let outcome = Mutex<Outcome?>(nil)
    let isCancelled = Atomic<Bool>(false)
  }

  /// Its place in the order of requests.
  let number: Int
  private let shared = Shared()
  private let thread: JoinedThread

  /// Begins to open a location.
  init(
    _ location: String, number: Int, configuration: ByteSourceConfiguration, decode: DecodePlace?
  ) {
    self.number = number
    let shared = shared
    thread = JoinedThread(for: "a track to be opened") {
      let outcome = Self.open(location, configuration, decode) {
        shared.isCancelled.load(ordering: .relaxed)
      }
      shared.outcome.withLock { $0 = outcome }
    }
  }

  deinit {
    shared.isCancelled.store(true, ordering: .relaxed)
    thread.join()
  }

  /// The outcome; nil while the location is being opened. Does not wait.
  var outcome: Outcome? { shared.outcome.withLock { $0 } }

  private static func open(
    _ location: String, _ configuration: ByteSourceConfiguration, _ decode: DecodePlace?,
    isCancelled: @escaping @Sendable () -> Bool
  ) -> Outcome {
    var outcome = Outcome()
    let messages = Mutex<[String]>([])
    do {
      let queue = try TrackQueue(
        [location], configuration: configuration, isCancelled: isCancelled,
        failures: FailureRun { message in messages.withLock { $0.append(message) } }
      ) { reader in
        let format = try reader.readInformation().dataFormat.formatID
        guard DecoderChoice(format, at: decode) != nil else {
          throw PlayerError(
            location: reader.name, reason: .converter(.formatNotSupported(format.name)))
        }
        _ = try reader.readDecodedFormat(at: decode)
      }
      outcome.items = [queue.firstItem] + queue.rest
      // The player opens it anew: this reader has taken the source's bytes.
      outcome.items[0].source = nil
    } catch is ExitCode {
      // The messages say why.
    } catch {
      if !isCancelled() { messages.withLock { $0.append("\(error)") } }
    }
    outcome.failures = messages.withLock { $0 }
    return outcome
  }
}
