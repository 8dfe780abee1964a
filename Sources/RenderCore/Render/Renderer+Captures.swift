// SPDX-License-Identifier: MIT

extension Renderer {
  /// Begins to keep the frames of the inputs, from the next cycle on. There may be several captures;
  /// each has every frame. Any thread but the render thread.
  ///
  /// - Parameters:
  ///   - capacityFrames: frames that the ring holds at least. The reader has so much time to come back;
  ///     frames that do not fit are dropped, and told.
  ///   - inputs: the inputs that it keeps, a bus of them; nil for all. At least one.
  /// - Returns: the end that is read.
  public func addCapture(
    capacityFrames: Int = 1 << 16, inputs: Range<Int>? = nil
  ) -> CaptureReader {
    let bus = RenderBus(inputs, of: inputChannels)
    precondition(bus.channelCount > 0, "a capture needs an input")
    let storage = CaptureStorage(bus, frameCapacity: capacityFrames)
    addCapture(storage, of: input, bus)
    return CaptureReader(storage: storage)
  }

  /// Ends a capture: no frame of a cycle after the current one goes into it. What is in it can still be
  /// read. One that is not ended goes on for as long as the renderer, read or not.
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
