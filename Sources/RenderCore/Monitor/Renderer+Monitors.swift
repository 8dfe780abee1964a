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

  /// Takes a monitor off: nothing is passed on after the current cycle. Mute it before, to end without a
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
