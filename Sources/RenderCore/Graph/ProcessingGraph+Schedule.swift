// SPDX-License-Identifier: MIT

extension ProcessingGraph {
  /// The most gains from one node to another one that can be scheduled at a time.
  public static let scheduledGainCapacity = GainSchedule.capacity

  /// Makes the edges from one node to another one ramp to a gain, starting at a stated frame: Core Audio's
  /// `AudioUnitScheduleParameters`. The ramp has the shape of all fades. It begins with that frame whatever the cycle
  /// length is, or with the next cycle if the frame has passed. It does not compensate for the edge's latency. Ramps
  /// may overlap: up to four add up, and a fifth begins when the first of them ends. Setting the gain or disconnecting
  /// the nodes in an edit cancels the ramps that have not begun.
  ///
  /// - Parameters:
  ///   - gain: the linear gain, as for ``GraphEdit/connect(_:channel:to:bus:targetChannel:channelCount:gain:)``.
  ///   - source: the node that the edges lead out of.
  ///   - target: the node that they lead to.
  ///   - frame: counts the frames that the renderer has rendered, from 0 (``RenderTelemetry/frames``). It is not before
  ///     the frame of the last gain that is scheduled for the edge.
  ///   - rampFrames: the frames of the ramp, at most those of a minute; 0 sets the gain at once.
  /// - Throws: ``ProcessingGraphError``: the nodes are not connected, the frame is before that of another scheduled gain, or
  ///   ``scheduledGainCapacity`` gains are scheduled.
  public func scheduleGain(
    _ gain: Float, from source: GraphNode, to target: GraphNode, atFrame frame: UInt64,
    rampFrames: Int = 0
  ) throws(ProcessingGraphError) {
    let longest = Gain.frames(60, at: renderer.sampleRate)
    let event = GainSchedule.Event(
      frame: frame, gain: GraphEdit.possible(gain), frameCount: max(1, min(rampFrames, longest)))
    let now = renderer.telemetry.frames
    let isPlanned = try renderer.withModel { (model) throws(ProcessingGraphError) in
      try model.schedule(event, from: source, to: target, now: now)
    }
    if !isPlanned { renderer.replacePlan { _ in } }
  }
}
