// SPDX-License-Identifier: MIT

/// The inputs of one cycle: as many frames as the cycle has, and the gap to the cycle before. Valid during the call
/// that receives it.
@safe
public struct RenderInputs {
  /// One buffer for each input channel, with as many frames as the cycle has. Read-only.
  public var buffers: UnsafeBufferPointer<UnsafePointer<Float>>
  /// Frames that were in no cycle since the cycle before, by the output's clock or by the elapsed time.
  public var missedFrames: UInt32
  /// Whether ``missedFrames`` is known. It is not if the clock went back, or if the length of cycles changed on a
  /// server that then counts differently.
  public var isMeasured: Bool

  /// Creates inputs with these buffers.
  @_noLocks
  public init(
    buffers: UnsafeBufferPointer<UnsafePointer<Float>>, missedFrames: UInt32 = 0,
    isMeasured: Bool = true
  ) {
    unsafe self.buffers = unsafe buffers
    self.missedFrames = missedFrames
    self.isMeasured = isMeasured
  }
}
