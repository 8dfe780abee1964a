// SPDX-License-Identifier: MIT

import ArgumentParser
import AudioModel
import ByteSources
import PlayerEngine
import RenderCore
import Synchronization

/// A location that another program requests, opened on its own thread while the player continues. The player receives
/// only playable tracks.
final class TrackProbe {
  /// The result of opening a location.
  struct Outcome: Sendable {
    /// The tracks, of which the first is playable; empty if none is.
    var items: [PlaylistItem] = []
    /// The failure messages.
    var failures: [String] = []
  }

  private final class Shared: Sendable {
    /// Protects the outcome, once there is one.
    let outcome = Mutex<Outcome?>(nil)
    let isCancelled = Atomic<Bool>(false)
  }

  /// The number of the request, in order.
  let number: Int
  private let shared = Shared()
  private let thread: JoinedThread

  /// Starts to open a location.
  init(
    _ location: String, number: Int, configuration: ByteSourceConfiguration, decode: DecoderThread?
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
    _ location: String, _ configuration: ByteSourceConfiguration, _ decode: DecoderThread?,
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
        guard DecoderChoice(format, on: decode) != nil else {
          throw PlayerError(
            location: reader.name, reason: .converter(.formatNotSupported(format.name)))
        }
        _ = try reader.readDecodedFormat(on: decode)
      }
      outcome.items = [queue.firstItem] + queue.rest
      // The player opens the track anew, because this reader has consumed the source's bytes.
      outcome.items[0].source = nil
    } catch is ExitCode {
      // The messages contain the reasons.
    } catch {
      if !isCancelled() { messages.withLock { $0.append("\(error)") } }
    }
    outcome.failures = messages.withLock { $0 }
    return outcome
  }
}
