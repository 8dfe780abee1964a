// SPDX-License-Identifier: MIT

internal import CRealtimeScope
internal import Synchronization

/// A function of the caller's that takes part in each cycle, what it works on, and how it fared: Core
/// Audio's `AURenderCallbackStruct`.
@safe
struct CallbackUnit: ~Copyable {
  private let function: drawbar_render_callback
  private let context: UnsafeMutableRawPointer?

  // Written by the render thread alone.
  let failedCycles = Atomic<UInt64>(0)
  let lastStatus = Atomic<Int32>(0)

  init(_ function: @escaping Renderer.Callback, context: UnsafeMutableRawPointer?) {
    unsafe self.function = unsafe function
    unsafe self.context = context
  }

  /// - Returns: whether what it gave is to be heard.
  @_noLocks
  func render(_ call: UnsafeMutablePointer<RenderCall>) -> Bool {
    let status = unsafe drawbar_call_render(function, context, call)
    lastStatus.store(status, ordering: .relaxed)
    if status == 0 { return true }
    failedCycles.grow(by: 1)
    return false
  }
}

/// Owns the memory of one callback's unit. Held by its handle and the renderer's list.
@safe
final class CallbackStorage: @unchecked Sendable {
  let unit: UnsafeMutablePointer<CallbackUnit>

  init(_ function: @escaping Renderer.Callback, context: UnsafeMutableRawPointer?) {
    unsafe unit = .allocate(capacity: 1)
    unsafe unit.initialize(to: CallbackUnit(function, context: context))
  }

  deinit {
    unsafe unit.deinitialize(count: 1)
    unsafe unit.deallocate()
  }
}
