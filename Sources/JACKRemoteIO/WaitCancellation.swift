// SPDX-License-Identifier: MIT

/// A caller's cancellation of a wait for the server, and the last answer.
final class WaitCancellation {
  /// Returns whether the wait is cancelled; called now and then. nil: never cancelled.
  private(set) var isOver: (() -> Bool)?
  /// Whether the last call returned true.
  private(set) var wasCancelled = false

  init(_ isCancelled: (() -> Bool)?) {
    guard let isCancelled else { return }
    isOver = { [unowned self] in
      wasCancelled = isCancelled()
      return wasCancelled
    }
  }
}
