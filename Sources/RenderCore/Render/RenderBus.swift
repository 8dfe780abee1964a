// SPDX-License-Identifier: MIT

/// A range of the renderer's channels.
@safe
struct RenderBus {
  let firstChannel: Int
  let channelCount: Int

  /// - Parameter channels: the range; nil for all channels.
  init(_ channels: Range<Int>?, of count: Int) {
    let channels = channels ?? 0..<count
    precondition(
      channels.lowerBound >= 0 && channels.upperBound <= count, "the renderer has no such channel")
    firstChannel = channels.lowerBound
    channelCount = channels.count
  }

  /// Returns the buffers of the range, from all buffers of a cycle.
  @_noLocks
  func buffers(
    of outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) -> UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>> {
    guard let first = outputs.baseAddress else { return unsafe outputs }
    return unsafe UnsafeMutableBufferPointer(start: first + firstChannel, count: channelCount)
  }

  /// Returns the input buffers of the range, as far as the output has them.
  @_noLocks
  func inputs(of inputs: RenderInputs) -> RenderInputs {
    var part = inputs
    let count = unsafe inputs.buffers.count - firstChannel
    guard count > 0, let first = unsafe inputs.buffers.baseAddress else {
      unsafe part.buffers = UnsafeBufferPointer(start: inputs.buffers.baseAddress, count: 0)
      return part
    }
    unsafe part.buffers = UnsafeBufferPointer(
      start: first + firstChannel, count: count < channelCount ? count : channelCount)
    return part
  }
}
