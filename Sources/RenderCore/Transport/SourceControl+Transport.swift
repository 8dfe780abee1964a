// SPDX-License-Identifier: MIT

internal import Synchronization

/// A source that follows the output's transport: where that wants it, and what becomes of it.
extension SourceControl {
  /// Whether the source sounds where and when the transport of its output says (``RenderCycle/transport``),
  /// in ``SourceMode/play``: each frame at its place on the time line, which comes with the first stream of
  /// each generation. Off at first, and to be set before the first frame. Without a transport it is silent.
  public var followsTransport: Bool {
    get { unsafe shared.pointee.followsTransport.load(ordering: .relaxed) }
    nonmutating set {
      unsafe shared.pointee.followsTransport.store(newValue, ordering: .releasing)
    }
  }

  /// Where the transport wants the source last. Its feeder has to go there, in a new ``generation``, or to
  /// ``answer(_:to:)``; until then there is silence.
  public var transportRequest: TransportRequest {
    TransportRequest(
      coded: unsafe shared.pointee.transportRequest.load(ordering: .acquiring))
  }

  /// Says that there is nothing to go to. What follows from it begins with the next cycle. Where a later
  /// request was made meanwhile it has no effect.
  public func answer(_ answer: TransportAnswer, to number: UInt32) {
    let code =
      switch answer {
      case .silence: SourceShared.silenceCode
      case .here: SourceShared.hereCode
      }
    unsafe shared.pointee.transportAnswer.store(
      UInt64(number) << 32 | UInt64(code), ordering: .releasing)
  }

  /// Frames per second of the output, as the source was told.
  public var outputRate: Double {
    unsafe Double(shared.pointee.outputRate.load(ordering: .acquiring))
  }
}
