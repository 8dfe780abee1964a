// SPDX-License-Identifier: MIT

extension UnsafeMutablePointer where Pointee: ~Copyable {
  /// A part of the render path at an address of its own.
  static func allocating(_ part: consuming Pointee) -> UnsafeMutablePointer {
    let address = UnsafeMutablePointer.allocate(capacity: 1)
    unsafe address.initialize(to: part)
    return unsafe address
  }

  /// Ends what ``allocating(_:)`` made. Never on the render thread.
  func destroy() {
    unsafe deinitialize(count: 1)
    unsafe deallocate()
  }
}
