// SPDX-License-Identifier: MIT

internal import AudioModel

/// A buffer in the queue, with its state when it was enqueued.
struct EnqueuedBuffer {
  let buffer: AudioQueueBuffer
  let byteCount: Int
  /// Empty if all packets have the size that the format states.
  let descriptions: [AudioStreamPacketDescription]
  let packetCount: Int
  /// Frames to leave out at its start; counted down.
  var trimStartFrames: Int
  let trimEndFrames: Int
  let parameters: [AudioQueueParameterEvent]
  /// The queue's time at which its first untrimmed frame sounds; nil: right after the buffer before.
  let startFrame: Double?
  var usedPackets = 0
}

/// An entry of the queue.
enum QueueEntry {
  case buffer(EnqueuedBuffer)
  /// Ends the sound before it; the sound after it begins afresh.
  case flush
}

/// An item of decoded sound.
enum DecodedItem {
  /// Interleaved samples.
  case samples([Float])
  /// Settings for the samples that follow, and their start time if they have one.
  case start(parameters: [AudioQueueParameterEvent], frame: Double?)
  /// The end of a stream: the samples that follow do not continue it.
  case end
}
