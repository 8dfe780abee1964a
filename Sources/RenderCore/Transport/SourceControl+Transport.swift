// SPDX-License-Identifier: MIT

internal import Synchronization

/// The transport requests of a source that follows the output's transport, and their answers.
extension SourceControl {
  /// Whether the source follows the transport of its output (``RenderCycle/transport``) in ``SourceMode/play``: it
  /// outputs each frame at its position on the time line, which comes with the first stream of each flush serial. Off
  /// at first, and to be set before the first frame. Without a transport it is silent.
  public var followsTransport: Bool {
    get { unsafe shared.pointee.followsTransport.load(ordering: .relaxed) }
    nonmutating set {
      unsafe shared.pointee.followsTransport.store(newValue, ordering: .releasing)
    }
  }

  /// The transport's last request. The source's feeder has to seek there, in a new ``flushSerial``, or to
  /// ``answer(_:to:)``; until then there is silence.
  public var transportRequest: TransportRequest {
    TransportRequest(
      coded: unsafe shared.pointee.transportRequest.load(ordering: .acquiring))
  }

  /// Answers a request for which there is no sound. The answer takes effect with the next cycle. If a later request was
  /// made in between, it has no effect.
  public func answer(_ answer: TransportAnswer, to number: UInt32) {
    let code =
      switch answer {
      case .silence: SourceShared.silenceCode
      case .here: SourceShared.hereCode
      }
    unsafe shared.pointee.transportAnswer.store(
      UInt64(number) << 32 | UInt64(code), ordering: .releasing)
  }

  /// Frames per second of the output, as last reported to the source.
  public var outputRate: Double {
    unsafe Double(shared.pointee.outputRate.load(ordering: .acquiring))
  }
}
