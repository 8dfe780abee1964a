// SPDX-License-Identifier: MIT

/// Passes the frames of all channels through an effect that works in place, in cycles of these lengths.
func processed(
  _ input: [[Float]], cycles: [Int],
  _ effect: (UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, Int) -> Void
) -> [[Float]] {
  let frames = input[0].count
  let samples = unsafe input.map { channel in
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: frames)
    unsafe channel.withUnsafeBufferPointer {
      unsafe samples.initialize(from: $0.baseAddress!, count: frames)
    }
    return unsafe samples
  }
  let places = UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>.allocate(
    capacity: input.count)
  defer {
    for index in unsafe samples.indices { unsafe samples[index].deallocate() }
    unsafe places.deallocate()
  }
  var done = 0
  for cycle in cycles {
    for channel in input.indices {
      unsafe places.initializeElement(at: channel, to: samples[channel] + done)
    }
    unsafe effect(places, cycle)
    done += cycle
  }
  return unsafe samples.map { unsafe Array(UnsafeBufferPointer(start: $0, count: frames)) }
}
