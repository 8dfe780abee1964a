// SPDX-License-Identifier: MIT

/// The owner of a value at a fixed address: the render side of a node, or the memory that both sides share. It is
/// released off the render thread.
@safe
final class RenderMemory<Value: ~Copyable> {
  let address: UnsafeMutablePointer<Value>

  init(_ value: consuming Value) {
    unsafe address = .allocating(value)
  }

  deinit { unsafe address.destroy() }
}
