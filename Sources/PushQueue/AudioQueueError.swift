// SPDX-License-Identifier: MIT

internal import AudioModel

/// An error of a queue: a Core Audio code and a sentence for the user.
public struct AudioQueueError: Error, Hashable, Sendable {
  /// Core Audio's result codes (AudioQueue.h), as its `OSStatus`.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The status.
    public var rawValue: Int32

    /// The code with this status.
    public init(rawValue: Int32) {
      self.rawValue = rawValue
    }

    private init(_ code: FourCharacterCode) {
      rawValue = Int32(bitPattern: code.rawValue)
    }

    /// The buffer is not this queue's, or has been freed.
    public static let invalidBuffer = Code(rawValue: -66687)
    /// The buffer has no bytes.
    public static let bufferEmpty = Code(rawValue: -66686)
    /// The queue is being disposed of, or has been.
    public static let disposalPending = Code(rawValue: -66685)
    /// There is no such property, or it cannot be set.
    public static let invalidProperty = Code(rawValue: -66684)
    /// The property has another size.
    public static let invalidPropertySize = Code(rawValue: -66683)
    /// There is no such parameter, or it cannot be set in this state.
    public static let invalidParameter = Code(rawValue: -66682)
    /// The queue cannot start.
    public static let cannotStart = Code(rawValue: -66681)
    /// There is no such device.
    public static let invalidDevice = Code(rawValue: -66680)
    /// The buffer is enqueued.
    public static let bufferInQueue = Code(rawValue: -66679)
    /// The call is not possible in this run state.
    public static let invalidRunState = Code(rawValue: -66678)
    /// An input queue where an output queue is needed, or the other way round.
    public static let invalidQueueType = Code(rawValue: -66677)
    /// The process lacks the permission.
    public static let permissions = Code(rawValue: -66676)
    /// The property cannot have this value, or not now.
    public static let invalidPropertyValue = Code(rawValue: -66675)
    /// Priming took too long.
    public static let primeTimedOut = Code(rawValue: -66674)
    /// A codec, or another library that is needed, is missing.
    public static let codecNotFound = Code(rawValue: -66673)
    /// The codec cannot be used.
    public static let invalidCodecAccess = Code(rawValue: -66672)
    /// The queue has been invalidated by the system.
    public static let queueInvalidated = Code(rawValue: -66671)
    /// There is a tap already.
    public static let tooManyTaps = Code(rawValue: -66670)
    /// There is no such tap.
    public static let invalidTapContext = Code(rawValue: -66669)
    /// A recording has lost frames because no buffer was enqueued.
    public static let recordUnderrun = Code(rawValue: -66668)
    /// There is no such kind of tap.
    public static let invalidTapType = Code(rawValue: -66667)
    /// The buffer was enqueued twice.
    public static let bufferEnqueuedTwice = Code(rawValue: -66666)
    /// The queue cannot start yet.
    public static let cannotStartYet = Code(rawValue: -66665)
    /// A buffer was enqueued while the queue was returning all of them.
    public static let enqueueDuringReset = Code(rawValue: -66632)
    /// Offline rendering is off, or on.
    public static let invalidOfflineMode = Code(rawValue: -66626)
    /// An argument cannot be right: Core Audio's `kAudio_ParamError`.
    public static let parameterError = Code(rawValue: -50)
    /// This format is not supported: `'fmt?'`.
    public static let formatNotSupported = Code("fmt?")
    /// The queue is stopped, so that it has no time: `'stop'`.
    public static let stopped = Code("stop")
  }

  /// The result code.
  public var code: Code
  /// A one-line message: the failure and a remedy.
  public var reason: String

  /// Creates an error with this code.
  public init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  /// The code as Core Audio's `OSStatus`.
  public var status: Int32 { code.rawValue }
}

extension AudioQueueError: CustomStringConvertible {
  /// The message and Core Audio's code, in one line.
  public var description: String { "\(reason) (\(code.rawValue))" }
}
