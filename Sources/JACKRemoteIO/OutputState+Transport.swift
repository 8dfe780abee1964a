// SPDX-License-Identifier: MIT

internal import CJACK
internal import RenderCore
internal import Synchronization

/// The server's transport, as cycles see it.
extension OutputState {
  private static var isKnown: UInt64 { @_noLocks get { 1 << 32 } }

  /// Returns the transport's position in this cycle. On the process thread.
  @_noLocks
  func queryTransport(_ client: OpaquePointer) -> RenderTransport {
    var frame: UInt32 = 0
    let isRolling = unsafe cjack_transport(client, &frame)
    return RenderTransport(frame: Int64(frame), isRolling: isRolling)
  }

  /// Publishes the frame for which all sources are ready, before the transport's query in a later cycle.
  @_noLocks
  func publishReadiness(_ context: RenderContext, _ transport: RenderTransport) {
    let isReady = context.isReady(forTransportFrame: transport.frame)
    readyTransportFrame.store(
      isReady ? UInt64(transport.frame) | Self.isKnown : 0, ordering: .releasing)
  }

  /// Returns whether the transport may roll from a frame on. Any thread: jack2 asks on the process thread,
  /// before the cycle.
  @_noLocks
  func isReady(forTransportFrame frame: UInt32) -> Bool {
    readyTransportFrame.load(ordering: .acquiring) == UInt64(frame) | Self.isKnown
      || isDetached.load(ordering: .acquiring)
  }
}
