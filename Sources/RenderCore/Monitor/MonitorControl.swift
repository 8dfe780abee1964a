// SPDX-License-Identifier: MIT

internal import Synchronization

/// The owner of one monitor's memory. Its control and the renderer's graph hold it; the render thread uses the
/// addresses in it and never this object.
@safe
final class MonitorStorage: @unchecked Sendable {
  struct Control {
    var settings: MonitorSettings
    var sampleRate: Double
    var inputSums: [SourceLevel] = []
    var outputSums: [SourceLevel] = []
  }

  let shared: UnsafeMutablePointer<MonitorShared>
  let unit: UnsafeMutablePointer<MonitorUnit>
  /// Protects the control side against two control threads. Never taken by the render thread.
  private let control: POSIXMutex<Control>
  /// The renderer, which reports its input routing after a change of the matrix.
  private weak let renderer: Renderer?

  init(_ settings: MonitorSettings, of renderer: Renderer) {
    let (inputs, outputs) = (renderer.inputChannels, renderer.outputChannels)
    let sampleRate = renderer.sampleRate
    self.renderer = renderer
    unsafe shared = .allocate(capacity: 1)
    unsafe shared.initialize(to: MonitorShared(inputs: inputs, outputs: outputs))
    unsafe unit = .allocate(capacity: 1)
    unsafe unit.initialize(to: MonitorUnit(shared: shared))
    control = POSIXMutex(Control(settings: settings, sampleRate: sampleRate))
    unsafe shared.pointee.publish(settings, sampleRate: sampleRate)
  }

  deinit {
    unsafe unit.deinitialize(count: 1)
    unsafe unit.deallocate()
    unsafe shared.deinitialize(count: 1)
    unsafe shared.deallocate()
  }

  var settings: MonitorSettings { control.withLock { $0.settings } }

  func change(_ body: (inout MonitorSettings) -> Void) {
    let hasOtherMatrix = control.withLock { control in
      let matrix = control.settings.crosspoints
      body(&control.settings)
      publish(control)
      return control.settings.crosspoints != matrix
    }
    if hasOtherMatrix { renderer?.reportInputRouting() }
  }

  func follow(sampleRate: Double) {
    control.withLock { control in
      if control.sampleRate == sampleRate { return }
      control.sampleRate = sampleRate
      publish(control)
    }
  }

  private func publish(_ control: Control) {
    unsafe shared.pointee.publish(control.settings, sampleRate: control.sampleRate)
  }

  func takeLevels() -> MonitorLevels {
    control.withLock { control in
      let inputs = unsafe shared.pointee.inputLevels.take()
      let outputs = unsafe shared.pointee.outputLevels.take()
      let gain = unsafe shared.pointee.lowestLimiterGain.exchange(
        Float(1).bitPattern, ordering: .relaxed)
      defer { (control.inputSums, control.outputSums) = (inputs, outputs) }
      return MonitorLevels(
        inputs: Self.levels(inputs, since: control.inputSums),
        outputs: Self.levels(outputs, since: control.outputSums),
        limiterGain: Float(bitPattern: gain))
    }
  }

  private static func levels(_ now: [SourceLevel], since before: [SourceLevel]) -> [MonitorLevel] {
    now.indices.map { channel in
      let old = before.isEmpty ? SourceLevel(frames: 0, sumOfSquares: 0, peak: 0) : before[channel]
      let frames = now[channel].frames - old.frames
      let sum = now[channel].sumOfSquares - old.sumOfSquares
      return MonitorLevel(
        peak: now[channel].peak,
        rootMeanSquare: frames == 0 ? 0 : Float((max(0, sum) / Double(frames)).squareRoot()),
        frameCount: frames)
    }
  }
}

/// The control side of a monitor: the settings of the mix, and the levels of the inputs and outputs.
///
/// Any thread; nothing here waits for the render thread. Not for the render thread.
public struct MonitorControl: Sendable {
  let storage: MonitorStorage

  /// The settings of the mix. A change begins with the next cycle and takes ``MonitorSettings/rampSeconds``.
  public var settings: MonitorSettings {
    get { storage.settings }
    nonmutating set { storage.change { $0 = newValue } }
  }

  /// Changes some of the settings, without overwriting another thread's change.
  public func update(_ change: (inout MonitorSettings) -> Void) {
    storage.change(change)
  }

  /// Returns the levels since the last call.
  public func takeLevels() -> MonitorLevels { storage.takeLevels() }
}
