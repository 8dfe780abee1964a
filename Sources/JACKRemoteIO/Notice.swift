// SPDX-License-Identifier: MIT

internal import Synchronization

extension RemoteIO {
  /// Something that the server did. Notices of one kind are merged until they are taken: none is
  /// lost in meaning and no queue can overflow.
  public enum Notice: Sendable, Equatable {
    /// The server has ended, with its reason. No callback follows: close, and open again when it
    /// is back.
    case serverShutDown(reason: String)
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
    var isShutDown = false
    var xruns: UInt64 = 0
    var bufferSize: UInt32
    var sampleRate: UInt32
    var isFreewheeling = false

    /// What is not told yet.
    mutating func notices(from storage: OutputStateStorage) -> [Notice] {
      let state = unsafe storage.state
      var notices: [Notice] = []
      if !isShutDown, let reason = unsafe state.pointee.shutDownReason {
        isShutDown = true
        notices.append(.serverShutDown(reason: reason))
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
      return notices
    }
  }
}
