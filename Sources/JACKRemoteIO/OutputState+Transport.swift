// SPDX-License-Identifier: MIT

internal import CJACK
internal import RenderCore
internal import Synchronization

/// The server's transport, as cycles see it.
extension OutputState {
  private static var isKnown: UInt64 { @_noLocks get { 1 << 32 } }

  /// Where the transport is in this cycle. On the process thread.
  @_noLocks
  func queryTransport(_ client: OpaquePointer) -> RenderTransport {
    var frame: UInt32 = 0
    let isRolling = unsafe cjack_transport(client, &frame)
    return RenderTransport(frame: Int64(frame), isRolling: isRolling)
  }

  /// Says what everything is ready for, before the transport asks in a later cycle.
  @_noLocks
  func publishReadiness(_ context: RenderContext, _ transport: RenderTransport) {
    let isReady = context.isReady(forTransportFrame: transport.frame)
    readyTransportFrame.store(
      isReady ? UInt64(transport.frame) | Self.isKnown : 0, ordering: .releasing)
  }

  /// Whether the transport may roll from a frame on. Any thread: jack2 asks on the process thread, before
  /// the cycle.
  @_noLocks
  func isReady(forTransportFrame frame: UInt32) -> Bool {
    readyTransportFrame.load(ordering: .acquiring) == UInt64(frame) | Self.isKnown
      || isDetached.load(ordering: .acquiring)
  }
}
