// SPDX-License-Identifier: MIT

internal import RenderCore
internal import Synchronization

extension RemoteIO {
  /// Something that the server did. Notices of one kind are merged until they are taken: none is
  /// lost in meaning and no queue can overflow.
  public enum Notice: Sendable, Equatable {
    /// The server has ended, with its reason. No cycle follows until ``reattached``; without
    /// ``Configuration/reattaches``, or when this was not started yet, none ever does: close, and open
    /// again when it is back.
    case serverShutDown(reason: String)
    /// A server is there again, perhaps with another rate and cycles of another size, which are then
    /// told as well. What it renders goes on where it was, and the connections that other clients' ports
    /// are there for are made again. Comes after the loss.
    case reattached
    /// The server missed its own deadline this many times. It tells every client; the fault may be
    /// anyone's.
    case xruns(count: UInt64)
    /// Cycles now have this many frames. Nothing needs doing.
    case bufferSizeChanged(frames: Int)
    /// The server now runs at this many frames per second: the renderer's `sampleRate` has to follow.
    case sampleRateChanged(hertz: Double)
    /// The server began (true) or ended (false) to run as fast as it can.
    case freewheeling(Bool)
  }

  /// What has been told already.
  struct Told {
    var losses: UInt64 = 0
    var reattachments: UInt64 = 0
    var xruns: UInt64 = 0
    var bufferSize: UInt32
    var sampleRate: UInt32
    var isFreewheeling = false

    /// What is not told yet.
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
        // One that was lost again is over, and the loss is told.
        if !presence.isAway { notices.append(.reattached) }
      }
      return notices
    }
  }
}
