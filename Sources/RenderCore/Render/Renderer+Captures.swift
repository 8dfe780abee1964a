// SPDX-License-Identifier: MIT

extension Renderer {
  /// Begins to capture the frames of the inputs with the next cycle. There may be several captures; each receives every
  /// frame. Any thread but the render thread.
  ///
  /// - Parameters:
  ///   - capacityFrames: the least number of frames that the ring holds. The reader must read again within this time;
  ///     frames that do not fit are dropped and reported.
  ///   - inputs: a range of adjacent inputs to capture, at least one; nil for all.
  /// - Returns: the reading end.
  public func addCapture(
    capacityFrames: Int = 1 << 16, inputs: Range<Int>? = nil
  ) -> CaptureReader {
    let bus = RenderBus(inputs, of: inputChannels)
    precondition(bus.channelCount > 0, "a capture needs an input")
    let storage = CaptureStorage(bus, frameCapacity: capacityFrames)
    addCapture(storage, of: input, bus)
    return CaptureReader(storage: storage)
  }

  /// Ends a capture: it receives no frame of a cycle after the current one. Its captured frames can still be read. A
  /// capture that is not ended continues as long as the renderer, read or not.
  public func remove(_ capture: borrowing CaptureReader) {
    let storage = capture.storage
    replacePlan { model in
      model.drop { node in
        if case .capture(let capture) = node.kind { capture === storage } else { false }
      }
    }
  }

  /// Adds the node of a capture of the inputs or of the outputs.
  func addCapture(_ storage: CaptureStorage, of tapped: NodeStorage, _ bus: RenderBus) {
    let node = NodeStorage(.capture(storage), name: "capture", inputWidths: [bus.channelCount])
    replacePlan { model in
      model.add(node)
      model.connect(tapped, channel: bus.firstChannel, to: node)
    }
  }
}
