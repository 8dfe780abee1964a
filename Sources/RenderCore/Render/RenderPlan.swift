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

  init(_ list: RenderList) {
    count = list.sources.count
    unsafe units = .allocate(capacity: max(1, count))
    for index in 0..<count { unsafe (units + index).initialize(to: list.sources[index].unit) }
    captureCount = list.captures.count
    unsafe captures = .allocate(capacity: max(1, captureCount))
    for index in 0..<captureCount {
      unsafe (captures + index).initialize(to: list.captures[index].unit)
    }
    callbackCount = list.callbacks.count
    unsafe callbacks = .allocate(capacity: max(1, callbackCount))
    for index in 0..<callbackCount {
      unsafe (callbacks + index).initialize(to: list.callbacks[index].unit)
    }
    monitorCount = list.monitors.count
    unsafe monitors = .allocate(capacity: max(1, monitorCount))
    for index in 0..<monitorCount {
      unsafe (monitors + index).initialize(to: list.monitors[index].unit)
    }
    outputCaptureCount = list.outputCaptures.count
    unsafe outputCaptures = .allocate(capacity: max(1, outputCaptureCount))
    for index in 0..<outputCaptureCount {
      unsafe (outputCaptures + index).initialize(to: list.outputCaptures[index].unit)
    }
  }

  deinit {
    unsafe units.deallocate()
    unsafe captures.deallocate()
    unsafe callbacks.deallocate()
    unsafe monitors.deallocate()
    unsafe outputCaptures.deallocate()
  }
}
