// SPDX-License-Identifier: MIT

internal import AudioModel

/// A buffer that the queue has, as it was when it was enqueued.
struct EnqueuedBuffer {
  let buffer: AudioQueueBuffer
  let byteCount: Int
  /// Empty where all packets have the size that the format states.
  let descriptions: [AudioStreamPacketDescription]
  let packetCount: Int
  /// Frames that are left out at its start; counted down.
  var trimStartFrames: Int
  let trimEndFrames: Int
  let parameters: [AudioQueueParameterEvent]
  /// When its first frame that is not left out sounds, on the queue's time; nil is right after the one
  /// before.
  let startFrame: Double?
  var usedPackets = 0
}

/// What is enqueued.
enum QueueEntry {
  case buffer(EnqueuedBuffer)
  /// What was decoded is brought to its end, and what follows begins afresh.
  case flush
}

/// What comes out of the decoder.
enum DecodedItem {
  /// Interleaved.
  case samples([Float])
  /// What follows has these settings, and this time where there is one.
  case start(parameters: [AudioQueueParameterEvent], frame: Double?)
  /// What follows does not continue what came before.
  case end
}
