// SPDX-License-Identifier: MIT

/// An edit that a ``ProcessingGraph`` refuses. No part of the edit takes effect.
public enum ProcessingGraphError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The edges would form a cycle through these nodes, without a delay that can close a loop.
  case cycle(path: [String])
  /// These nodes would form a feedback loop, and one of them belongs to a monitor.
  case loopWithMonitor(nodes: [String])
  /// The node is not in this graph.
  case unknownNode(String)
  /// The node has no such bus, or the bus no such channels.
  case noSuchChannels(node: String)
  /// No edge leads from the first node to the second one.
  case notConnected(from: String, to: String)
  /// An edge already connects the same channels of the two nodes.
  case alreadyConnected(from: String, to: String)
  /// The node belongs to the graph and cannot be removed.
  case permanentNode(String)
  /// The node is not an effect with as many output channels as input channels, or is a delay that can close a loop, so
  /// its input cannot replace its output.
  case notBypassable(String)
  /// The edges have ``ProcessingGraph/scheduledGainCapacity`` scheduled gains.
  case scheduleFull(from: String, to: String)
  /// A gain is scheduled for a later frame already.
  case notInOrder(from: String, to: String, frame: UInt64, lastFrame: UInt64)
  /// The latency of the path to the node exceeds ``ProcessingGraph/maximumLatencyFrames``.
  case tooLate(node: String, frames: Int)

  /// The reason, and a remedy.
  public var description: String {
    switch self {
    case .cycle(let path):
      "the edges form a loop: \(path.joined(separator: " → ")); disconnect one, or close the loop "
        + "with a delay whose minimumFrames is \(DelayControl.minimumLoopFrames) or more; an edge "
        + "that fades out counts until its fade ends"
    case .loopWithMonitor(let nodes):
      "a feedback loop cannot contain a monitor: \(nodes.joined(separator: ", ")); close the loop "
        + "before or after the monitor"
    case .unknownNode(let node): "\(node) is not a node of this graph"
    case .noSuchChannels(let node): "\(node) has no such bus or channels"
    case .notConnected(let from, let to): "\(from) is not connected to \(to)"
    case .alreadyConnected(let from, let to): "\(from) is already connected to \(to)"
    case .permanentNode(let node): "\(node) cannot be removed"
    case .notBypassable(let node):
      "\(node) cannot be bypassed; only effects with as many outputs as inputs can, except delays "
        + "that can close a feedback loop"
    case .scheduleFull(let from, let to):
      "\(ProcessingGraph.scheduledGainCapacity) gains from \(from) to \(to) are scheduled; "
        + "schedule more after some of them have begun"
    case .notInOrder(let from, let to, let frame, let last):
      "a gain from \(from) to \(to) is scheduled for frame \(last), which is after \(frame); "
        + "schedule in order, or set the gain to cancel what is scheduled"
    case .tooLate(let node, let frames):
      "the path to \(node) has a latency of \(frames) frames; "
        + "the maximum is \(ProcessingGraph.maximumLatencyFrames)"
    }
  }
}
