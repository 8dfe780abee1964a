// SPDX-License-Identifier: MIT

import Glibc
import OfflineOutput
import Synchronization
import TestKit
import Testing

@testable import RenderCore

/// Removed storages, as long as another object holds them.
private struct Removed {
  private weak var source: SourceStorage?
  private weak var callback: CallbackStorage?
  private weak var capture: CaptureStorage?
  private weak var monitor: MonitorStorage?

  /// Adds one object of each kind to a renderer, and removes it.
  init(_ renderer: Renderer) {
    let control = renderer.addSource(ringBytes: 1 << 16, ringPackets: 64).control
    let handle = unsafe renderer.addCallback({ _, _ in 0 }, context: nil)
    let reader = renderer.addCapture(capacityFrames: 64)
    let monitored = renderer.addMonitor()
    (source, callback) = (control.storage, handle.storage)
    (capture, monitor) = (reader.storage, monitored.storage)
    renderer.remove(control)
    _ = renderer.remove(handle, withinMilliseconds: 0)
    renderer.remove(reader)
    renderer.remove(monitored)
  }

  var count: Int {
    let storages: [AnyObject?] = [source, callback, capture, monitor]
    return storages.count { $0 != nil }
  }
}

/// A callback that adds objects to its own renderer and removes them within the cycle, as another thread may.
private final class ChangingCallback {
  let renderer: Renderer
  var removed: [Removed] = []
  var held: [Int] = []
  var phases: [UInt64] = []
  /// Whether the callback also reads the graph.
  var looks = false

  init(_ renderer: Renderer) {
    self.renderer = renderer
  }
}

private func change(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  let callback = unsafe Unmanaged<ChangingCallback>.fromOpaque(context!).takeUnretainedValue()
  callback.removed.append(Removed(callback.renderer))
  if callback.looks { _ = callback.renderer.graph.latencyFrames }
  callback.held.append(callback.removed.reduce(0) { $0 + $1.count })
  callback.phases.append(
    unsafe callback.renderer.context.state.pointee.cyclePhase.load(ordering: .relaxed))
  return 0
}

@Suite("An object that is removed from a renderer")
struct RemovalTests {
  private func renderer() -> Renderer {
    Renderer(sampleRate: 48000, outputChannels: 1, inputChannels: 1)
  }

  @Test("is freed at once while no cycle runs: before the first, and between two")
  func idle() {
    let renderer = renderer()
    var output = OfflineOutput(renderer: renderer)
    for _ in 0..<3 {
      #expect(Removed(renderer).count == 0)
      #expect(Removed(renderer).count == 0)
      output.render(frameCount: 16) { _, _ in }
    }
  }

  @Test("fades out if it sounds, and is freed with the next change after that")
  func sounding() throws {
    let renderer = renderer()
    var output = OfflineOutput(renderer: renderer)
    weak var storage: SourceStorage?
    do {
      let source = renderer.addSource(ringBytes: 1 << 16, ringPackets: 64)
      let control = source.control
      storage = control.storage
      try play(0.5, frames: 1024, source)
      output.render(frameCount: 64) { _, samples in #expect(samples[63] == 0.5) }
      renderer.remove(control)
      control.mode = .play
      #expect(control.mode == .pause)
      output.render(frameCount: 128) { _, samples in #expect(samples[0] > 0.49) }
      output.render(frameCount: 128) { _, samples in #expect(samples[112] == 0) }
      #expect(renderer.context.isReady(frameCount: 64))
      output.render(frameCount: 64) { _, samples in #expect(samples[0] == 0) }
    }
    #expect(storage != nil)
    _ = renderer.addMonitor()
    #expect(storage == nil)
  }

  @Test("stays while a cycle that may use it runs, and is freed with the next change after that")
  func running() {
    let renderer = renderer()
    let callback = ChangingCallback(renderer)
    let handle = unsafe renderer.addCallback(
      change, context: Unmanaged.passUnretained(callback).toOpaque())
    var output = OfflineOutput(renderer: renderer)
    output.render(frameCount: 16) { _, _ in }
    output.render(frameCount: 16) { _, _ in }
    // The four storages of this cycle are held, and none of the previous cycle.
    #expect(callback.held == [4, 4])
    #expect(renderer.remove(handle, withinMilliseconds: 0))
    #expect(callback.removed.allSatisfy { $0.count == 0 })
  }

  @Test(
    "is freed without another change, by the first call that reads the graph, the rate or the time after the cycle",
    arguments: 0..<4)
  func noChange(look: Int) {
    let renderer = renderer()
    let callback = ChangingCallback(renderer)
    let handle = unsafe renderer.addCallback(
      change, context: Unmanaged.passUnretained(callback).toOpaque())
    var output = OfflineOutput(renderer: renderer)
    output.render(frameCount: 16) { _, _ in }
    #expect(callback.removed.map(\.count) == [4])
    switch look {
    case 0: _ = renderer.graph.latencyFrames
    case 1: _ = renderer.sampleRate
    case 2: renderer.sampleRate = 44100
    default: _ = renderer.elapsedNanoseconds
    }
    #expect(callback.removed.map(\.count) == [0])
    #expect(renderer.remove(handle, withinMilliseconds: 0))
  }

  /// Calls the renderer when it is freed.
  private final class LastCall: Sendable {
    unowned let renderer: Renderer

    init(_ renderer: Renderer) { self.renderer = renderer }

    deinit { _ = renderer.graph.latencyFrames }
  }

  @Test("may call the renderer when it is freed", .timeLimit(.minutes(1)))
  func callWhenFreed() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1)
    let graph = renderer.graph
    var output = OfflineOutput(renderer: renderer)
    func insert() throws {
      let bank = graph.addFilterBank(channelCount: 1)
      let call = LastCall(renderer)
      try bank.set { _ in withExtendedLifetime(call) { [[]] } }
      try graph.edit { (edit) throws(ProcessingGraphError) in
        try edit.insert(bank.node, from: graph.mix, to: graph.output)
      }
      output.render(frameCount: 64) { _, _ in }
      try graph.edit { (edit) throws(ProcessingGraphError) in
        try edit.connect(graph.mix, to: graph.output)
        try edit.remove(bank.node)
      }
    }
    try insert()
    output.render(frameCount: 1000) { _, _ in }
    try graph.edit { _ in }
    #expect(renderer.withModel { $0.nodes.isEmpty })
  }

  @Test("stays at such a call while the cycle runs")
  func lookWithinCycle() {
    let renderer = renderer()
    let callback = ChangingCallback(renderer)
    callback.looks = true
    let handle = unsafe renderer.addCallback(
      change, context: Unmanaged.passUnretained(callback).toOpaque())
    var output = OfflineOutput(renderer: renderer)
    output.render(frameCount: 16) { _, _ in }
    #expect(callback.held == [4])
    #expect(renderer.remove(handle, withinMilliseconds: 0))
  }

  @Test("stays while a cycle runs, also after an interrupted one")
  func cutOff() {
    let renderer = renderer()
    let callback = ChangingCallback(renderer)
    let handle = unsafe renderer.addCallback(
      change, context: Unmanaged.passUnretained(callback).toOpaque())
    var output = OfflineOutput(renderer: renderer)
    output.render(frameCount: 16) { _, _ in }
    // A cycle began, and its thread ended within it.
    unsafe renderer.context.state.pointee.cyclePhase.add(1, ordering: .relaxed)
    output.render(frameCount: 16) { _, _ in }
    #expect(callback.held == [4, 4])
    #expect(callback.phases.allSatisfy { $0 % 2 == 1 })
    #expect(renderer.remove(handle, withinMilliseconds: 0))
    #expect(callback.removed.allSatisfy { $0.count == 0 })
  }

  @Test("is out of later readiness checks, too, which count as cycles")
  func looks() {
    let renderer = renderer()
    let state = unsafe renderer.context.state
    let looks: [() -> Void] = [
      { _ = renderer.context.isReady(frameCount: 16) },
      { _ = renderer.context.isReady(forTransportFrame: 0) },
      { renderer.context.endWaiting() },
    ]
    for look in looks {
      let phase = unsafe state.pointee.cyclePhase.load(ordering: .relaxed)
      look()
      #expect(unsafe state.pointee.cyclePhase.load(ordering: .relaxed) == phase + 2)
    }
  }

  @Test("is freed while another thread renders and checks readiness")
  func busy() {
    let renderer = renderer()
    let end = OneTimeEvent()
    let thread = JoinableThread {
      var output = OfflineOutput(renderer: renderer)
      while !end.wait(seconds: 0) {
        _ = renderer.context.isReady(frameCount: 8)
        _ = renderer.context.isReady(forTransportFrame: 0)
        output.render(inputs: [[Float](repeating: 1, count: 8)])
        renderer.context.endWaiting()
      }
    }
    var removed: [Removed] = []
    for round in 0..<500 {
      removed.append(Removed(renderer))
      if round % 2 == 0 { sched_yield() }
    }
    end.signal()
    thread.join()
    removed.append(Removed(renderer))
    #expect(removed.allSatisfy { $0.count == 0 })
  }
}
