// SPDX-License-Identifier: MIT

internal import RenderCore
internal import Synchronization

extension RemoteIO {
  /// A server event. Notices of one kind are merged until they are taken, so no kind is lost and no queue can
  /// overflow.
  public enum Notice: Sendable, Equatable {
    /// The server has ended, with its reason. No cycle follows until ``reattached``. Without
    /// ``Configuration/reattaches``, or before the start, none ever does: close, and open again when the server
    /// is back.
    case serverShutDown(reason: String)
    /// The client is attached to a server again. Other notices report a changed rate or cycle size. Rendering
    /// goes on where it was, and connections to existing ports are restored. Follows
    /// ``serverShutDown(reason:)``.
    case reattached
    /// The server missed its own deadline this many times. It notifies every client, whatever the cause.
    case xruns(count: UInt64)
    /// Cycles now have this many frames. No action is needed.
    case bufferSizeChanged(frames: Int)
    /// The server now runs at this many frames per second: the renderer's `sampleRate` must follow.
    case sampleRateChanged(hertz: Double)
    /// The server began (true) or ended (false) freewheeling: running as fast as it can.
    case freewheeling(Bool)
  }

  /// The state covered by the notices taken so far.
  struct Told {
    var losses: UInt64 = 0
    var reattachments: UInt64 = 0
    var xruns: UInt64 = 0
    var bufferSize: UInt32
    var sampleRate: UInt32
    var isFreewheeling = false

    /// Returns the notices that are due, and marks them as taken.
    mutating func notices(from storage: OutputStateStorage) -> [Notice] {
      let state = unsafe storage.state
      var notices: [Notice] = []
      let presence = unsafe state.pointee.presence.withLock { $0 }
      if presence.losses != losses {
        losses = presence.losses
        notices.append(.serverShutDown(reason: presence.reason))
      }
      let xrunsNow = unsafe state.pointee.xruns.load(ordering: .relaxed)
      if xrunsNow != xruns {
        notices.append(.xruns(count: xrunsNow &- xruns))
        xruns = xrunsNow
      }
      let framesNow = unsafe state.pointee.bufferSize.load(ordering: .relaxed)
      if framesNow != bufferSize {
        bufferSize = framesNow
        notices.append(.bufferSizeChanged(frames: Int(framesNow)))
      }
      let rateNow = unsafe state.pointee.sampleRate.load(ordering: .relaxed)
      if rateNow != sampleRate {
        sampleRate = rateNow
        notices.append(.sampleRateChanged(hertz: Double(rateNow)))
      }
      let isFreewheelingNow = unsafe state.pointee.isFreewheeling.load(ordering: .relaxed)
      if isFreewheelingNow != isFreewheeling {
        isFreewheeling = isFreewheelingNow
        notices.append(.freewheeling(isFreewheelingNow))
      }
      if presence.reattachments != reattachments {
        reattachments = presence.reattachments
        // If the server was lost again, only the loss is reported.
        if !presence.isAway { notices.append(.reattached) }
      }
      return notices
    }
  }
}
