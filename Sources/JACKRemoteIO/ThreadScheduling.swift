// SPDX-License-Identifier: MIT

internal import Glibc

/// The kernel's scheduling of a thread, as read back: a request is not always granted.
public struct ThreadScheduling: Sendable, Equatable {
  /// A scheduling policy of sched(7).
  public enum Policy: Sendable, Equatable {
    /// Real-time, first in, first out.
    case fifo
    /// Real-time, round robin.
    case roundRobin
    /// Not real-time; the kernel's number for it.
    case other(Int32)
  }

  /// The policy.
  public var policy: Policy
  /// The real-time priority, 1 to 99; 0 for policies that are not real-time.
  public var priority: Int

  /// Whether the thread precedes all that are not real-time.
  public var isRealtime: Bool {
    policy == .fifo || policy == .roundRobin
  }

  /// The policy and the priority, such as `SCHED_FIFO 65`.
  public var text: String {
    switch policy {
    case .fifo: "SCHED_FIFO \(priority)"
    case .roundRobin: "SCHED_RR \(priority)"
    case .other(let number): number == SCHED_OTHER ? "SCHED_OTHER" : "policy \(number)"
    }
  }

  /// Reads how a thread of this process is scheduled; nil when there is no such thread.
  public init?(threadID: Int32) {
    let raw = sched_getscheduler(threadID)
    var parameters = sched_param()
    guard raw >= 0, unsafe sched_getparam(threadID, &parameters) == 0 else { return nil }
    // PipeWire sets SCHED_RESET_ON_FORK, which is or-ed to the policy.
    let policy = raw & ~0x4000_0000
    self.policy =
      switch policy {
      case SCHED_FIFO: .fifo
      case SCHED_RR: .roundRobin
      default: .other(policy)
      }
    priority = Int(parameters.sched_priority)
  }
}
