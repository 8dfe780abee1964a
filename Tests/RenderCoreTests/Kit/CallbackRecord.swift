// SPDX-License-Identifier: MIT

import RenderCore

/// The state of a test callback: its output, its answer, and the arguments of its calls.
@safe
struct CallbackRecord {
  /// The value that the callback adds, times n + 1, to each sample of channel n.
  var value: Float = 0
  var status: Int32 = 0
  /// The frame count that the callback reports; nil leaves the call's own.
  var givenFrames: Int?
  var givenOutputs: Int?
  var saysSilent = false
  /// Memory that the callback returns instead of the first output's.
  var ownBuffer: UnsafeMutablePointer<Float>?

  var calls = 0
  var wasSilent = true
  var inputs = 0
  var outputs = 0
  var frames = 0
  var frameTime: UInt32 = 0
  var nanoseconds: UInt64 = 0
  /// The sum of each input's samples, times the input's number from 1 on.
  var inputSum: Float = 0

  /// Allocates records at fixed addresses, runs a test with them, and frees them.
  static func with(
    _ records: CallbackRecord...,
    body: ([UnsafeMutablePointer<CallbackRecord>]) throws -> Void
  ) rethrows {
    let memory = UnsafeMutablePointer<CallbackRecord>.allocate(capacity: records.count)
    for index in records.indices { unsafe (memory + index).initialize(to: records[index]) }
    defer { unsafe memory.deallocate() }
    try unsafe body(records.indices.map { unsafe memory + $0 })
  }
}

/// Records the arguments of a render call, and acts as the record specifies.
@_noLocks
func recordCall(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  guard let record = unsafe context?.assumingMemoryBound(to: CallbackRecord.self) else { return -1 }
  let (frames, outputs) = unsafe (call.pointee.frameCount, call.pointee.outputCount)
  for channel in 0..<outputs {
    let samples = unsafe call.pointee.outputs[channel]
    for frame in 0..<frames {
      if unsafe samples[frame] != 0 { unsafe record.pointee.wasSilent = false }
      unsafe samples[frame] += record.pointee.value * Float(channel + 1)
    }
  }
  unsafe record.pointee.inputSum = 0
  for channel in unsafe 0..<call.pointee.inputCount {
    for frame in 0..<frames {
      unsafe record.pointee.inputSum += call.pointee.inputs[channel][frame] * Float(channel + 1)
    }
  }
  unsafe record.pointee.calls += 1
  unsafe record.pointee.inputs = unsafe call.pointee.inputCount
  unsafe record.pointee.outputs = outputs
  unsafe record.pointee.frames = frames
  unsafe record.pointee.frameTime = unsafe call.pointee.frameTime
  unsafe record.pointee.nanoseconds = unsafe call.pointee.hostNanoseconds
  if let given = unsafe record.pointee.givenFrames { unsafe call.pointee.frameCount = given }
  if let given = unsafe record.pointee.givenOutputs { unsafe call.pointee.outputCount = given }
  if let own = unsafe record.pointee.ownBuffer { unsafe call.pointee.outputs[0] = unsafe own }
  unsafe call.pointee.isSilent = unsafe record.pointee.saysSilent
  return unsafe record.pointee.status
}
