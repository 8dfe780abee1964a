// SPDX-License-Identifier: MIT

/// What one cycle's inputs bring: as many frames as the cycle has, and how they follow those of the
/// cycle before. Valid during the call that it is handed to.
@safe
public struct RenderInputs {
  /// One buffer for each input channel, with as many frames as the cycle has. Only read.
  public var buffers: UnsafeBufferPointer<UnsafePointer<Float>>
  /// Frames that no cycle had since the cycle before, by the output's clock or by the time that passed.
  public var missedFrames: UInt32
  /// Whether ``missedFrames`` is known. It is not where the clock went back, or where cycles got
  /// another length at a server that then counts in its own way.
  public var isMeasured: Bool

  /// Inputs with these buffers.
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
