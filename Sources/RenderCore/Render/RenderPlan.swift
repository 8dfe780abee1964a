// SPDX-License-Identifier: MIT

/// What a renderer has, off the render thread: it keeps the memory of what a plan points to alive.
struct RenderList {
  var sources: [SourceStorage] = []
  var captures: [CaptureStorage] = []
  var callbacks: [CallbackStorage] = []
  var monitors: [MonitorStorage] = []
  var outputCaptures: [CaptureStorage] = []
}

/// The flat lists of sources, captures, callbacks and monitors that one cycle walks. Made off the render
/// thread, then never changed.
@safe
struct RenderPlan: ~Copyable {
  let units: UnsafeMutablePointer<UnsafeMutablePointer<SourceUnit>>
  let count: Int
  let captures: UnsafeMutablePointer<UnsafeMutablePointer<CaptureUnit>>
  let captureCount: Int
  let callbacks: UnsafeMutablePointer<UnsafeMutablePointer<CallbackUnit>>
  let callbackCount: Int
  let monitors: UnsafeMutablePointer<UnsafeMutablePointer<MonitorUnit>>
  let monitorCount: Int
  let outputCaptures: UnsafeMutablePointer<UnsafeMutablePointer<CaptureUnit>>
  let outputCaptureCount: Int
  /// Nothing follows the sources.
  let endsWithSources: Bool
  /// Nothing writes to the outputs before a monitor does.
  let beginsWithMonitor: Bool
  /// Nothing writes to the outputs or reads them.
  let isEmpty: Bool

  init(_ list: RenderList) {
    count = list.sources.count
    unsafe units = Self.flat(list.sources) { unsafe $0.unit }
    captureCount = list.captures.count
    unsafe captures = Self.flat(list.captures) { unsafe $0.unit }
    callbackCount = list.callbacks.count
    unsafe callbacks = Self.flat(list.callbacks) { unsafe $0.unit }
    monitorCount = list.monitors.count
    unsafe monitors = Self.flat(list.monitors) { unsafe $0.unit }
    outputCaptureCount = list.outputCaptures.count
    unsafe outputCaptures = Self.flat(list.outputCaptures) { unsafe $0.unit }
    endsWithSources = list.callbacks.isEmpty && list.monitors.isEmpty && list.outputCaptures.isEmpty
    isEmpty = endsWithSources && list.sources.isEmpty
    beginsWithMonitor = list.sources.isEmpty && list.callbacks.isEmpty && !list.monitors.isEmpty
  }

  private static func flat<Storage, Unit: ~Copyable>(
    _ list: [Storage], _ unit: (Storage) -> UnsafeMutablePointer<Unit>
  ) -> UnsafeMutablePointer<UnsafeMutablePointer<Unit>> {
    let units = UnsafeMutablePointer<UnsafeMutablePointer<Unit>>.allocate(
      capacity: max(1, list.count))
    for index in list.indices { unsafe (units + index).initialize(to: unit(list[index])) }
    return unsafe units
  }

  deinit {
    unsafe units.deallocate()
    unsafe captures.deallocate()
    unsafe callbacks.deallocate()
    unsafe monitors.deallocate()
    unsafe outputCaptures.deallocate()
  }
}
