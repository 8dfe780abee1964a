// SPDX-License-Identifier: MIT

extension UnsafeMutablePointer where Pointee: ~Copyable {
  /// Moves a part of the render path to an address of its own.
  static func allocating(_ part: consuming Pointee) -> UnsafeMutablePointer {
    let address = UnsafeMutablePointer.allocate(capacity: 1)
    unsafe address.initialize(to: part)
    return unsafe address
  }

  /// Destroys and frees a part made by ``allocating(_:)``. Never on the render thread.
  func destroy() {
    unsafe deinitialize(count: 1)
    unsafe deallocate()
  }
}
