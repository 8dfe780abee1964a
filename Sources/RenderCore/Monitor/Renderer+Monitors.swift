// SPDX-License-Identifier: MIT

extension Renderer {
  /// Passes the inputs on to the outputs from the next cycle on, each frame in the cycle that brings it:
  /// the way through adds no frame. What the outputs have from sources and callbacks stays, and the inputs
  /// are added to it. Any thread but the render thread.
  ///
  /// - Parameter settings: how; nil is ``MonitorSettings/init(inputs:outputs:)``.
  /// - Returns: the end that controls it. The monitor goes on until it is removed, or as long as
  ///   the renderer.
  public func addMonitor(_ settings: MonitorSettings? = nil) -> MonitorControl {
    precondition(
      inputChannels > 0 && outputChannels > 0, "a monitor needs an input and an output")
    let storage = MonitorStorage(
      inputs: inputChannels, outputs: outputChannels,
      settings: settings ?? MonitorSettings(inputs: inputChannels, outputs: outputChannels),
      sampleRate: sampleRate)
    let node = NodeStorage(
      .monitor(storage), name: "monitor", inputWidths: [outputChannels],
      outputWidth: outputChannels)
    replacePlan { $0.append(node, bus: 0) }
    return MonitorControl(storage: storage)
  }

  /// Takes a monitor off: nothing is passed on after the current cycle. Mute it before, to end without a
  /// click.
  public func remove(_ monitor: MonitorControl) {
    replacePlan { model in
      let node = model.nodes.first { node in
        if case .monitor(let storage) = node.kind { storage === monitor.storage } else { false }
      }
      if let node { model.extract(node) }
    }
  }

  /// Begins to keep the frames that the outputs are given, from the next cycle on: what is heard, all
  /// sources, callbacks and monitors together. Otherwise as ``addCapture(capacityFrames:inputs:)``, and
  /// ended in the same way. In an output without inputs missed frames are not told.
  ///
  /// - Parameters:
  ///   - capacityFrames: frames that the ring holds at least.
  ///   - outputs: the outputs that it keeps, a bus of them; nil for all. At least one.
  /// - Returns: the end that is read.
  public func addOutputCapture(
    capacityFrames: Int = 1 << 16, outputs: Range<Int>? = nil
  ) -> CaptureReader {
    let bus = RenderBus(outputs, of: outputChannels)
    precondition(bus.channelCount > 0, "a capture of the outputs needs an output")
    let storage = CaptureStorage(bus, frameCapacity: capacityFrames)
    addCapture(storage, of: output, bus)
    return CaptureReader(storage: storage)
  }
}
