// SPDX-License-Identifier: MIT

extension Renderer {
  /// Adds the inputs to the outputs, starting with the next cycle. Each frame is output in the cycle that brings it, so
  /// there is no added latency. The sound of sources and callbacks stays. Any thread but the render thread.
  ///
  /// - Parameter settings: the settings; nil is ``MonitorSettings/init(inputs:outputs:)``.
  /// - Returns: the monitor's control. The monitor runs until it is removed, or as long as the renderer.
  public func addMonitor(_ settings: MonitorSettings? = nil) -> MonitorControl {
    precondition(
      inputChannels > 0 && outputChannels > 0, "a monitor needs an input and an output")
    let storage = MonitorStorage(
      settings ?? MonitorSettings(inputs: inputChannels, outputs: outputChannels), of: self)
    let kinds: [(NodeStorage.Kind, String)] = [
      (.monitor(storage), "monitor"), (.monitorOutput(storage), "monitor output"),
    ]
    replacePlan { model in
      for (kind, name) in kinds {
        model.append(
          NodeStorage(kind, name: name, inputWidths: [outputChannels], outputWidth: outputChannels),
          bus: 0)
      }
    }
    return MonitorControl(storage: storage)
  }

  /// Removes a monitor: the inputs are not added after the current cycle. Mute the monitor before, to end without a
  /// click.
  public func remove(_ monitor: MonitorControl) {
    replacePlan { model in
      let nodes = model.nodes.filter { node in
        switch node.kind {
        case .monitor(let storage), .monitorOutput(let storage): storage === monitor.storage
        default: false
        }
      }
      for node in nodes.reversed() { model.extract(node) }
    }
  }

  /// Begins to capture the frames of the outputs with the next cycle: the sum of all sources, callbacks and monitors.
  /// Otherwise like ``addCapture(capacityFrames:inputs:)``, and it ends in the same way. An output without inputs
  /// reports no missed frames.
  ///
  /// - Parameters:
  ///   - capacityFrames: the least number of frames that the ring holds.
  ///   - outputs: a range of adjacent outputs to capture, at least one; nil for all.
  /// - Returns: the reading end.
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
