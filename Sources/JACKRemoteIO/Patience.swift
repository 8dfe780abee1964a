// SPDX-License-Identifier: MIT

/// Whether who waits for the server still wants to, and that it was so in the end.
final class Patience {
  /// Asked now and then; nil: it is never over.
  private(set) var isOver: (() -> Bool)?
  /// It was over when that was asked last.
  private(set) var wasCancelled = false

  init(_ isCancelled: (() -> Bool)?) {
    guard let isCancelled else { return }
    isOver = { [unowned self] in
      wasCancelled = isCancelled()
      return wasCancelled
    }
  }
}
