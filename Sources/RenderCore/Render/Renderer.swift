// SPDX-License-Identifier: MIT

internal import Synchronization

/// The control side of the render path: owns the graph that an output's callback renders, and its memory.
///
/// Life cycle: make one for the output's rate and channels; pass ``context`` to the output; add sources; stop the
/// output; release the renderer. Any thread but the render thread may call it.
public final class Renderer: Sendable {
  /// Most frames in one cycle: JACK's own limit.
  public static var maximumFramesPerCycle: Int { @_noLocks get { 8192 } }

  /// Seconds of a fade: at a pause and a resume; at a change of volume, pan or matrix; before and after a seek; before
  /// a source is removed; and at an underrun. The shape is k³(10 − 15k + 6k²), whose click is 60 dB below that of a
  /// straight line. The time is the same at every rate.
  public static var fadeSeconds: Double { @_noLocks get { Gain.fadeSeconds } }

  /// The rates that an output can have: all that JACK can express, except 0.
  public static let sampleRates: ClosedRange<Double> = 1...Double(UInt32.max)

  /// Frames per second of the output, one of ``sampleRates``. When the output's rate changes, set it: sources continue
  /// at their position in the new rate as soon as their feeders have made resamplers for it, and are silent until then.
  public var sampleRate: Double {
    get { withAttached { $0.sampleRate } }
    set {
      Self.check(sampleRate: newValue)
      withAttached { attached in
        let frames = renderedFrames
        attached.nanosecondsBefore = attached.elapsedNanoseconds(frames)
        attached.framesBefore = frames
        attached.sampleRate = newValue
        attached.tellSampleRate()
      }
    }
  }
  /// Buffers to fill in each cycle.
  public let outputChannels: Int
  /// Buffers that each cycle brings to the renderer.
  public let inputChannels: Int
  /// The argument with which an output's callback renders. Valid while this object lives: stop the output first.
  public let context: RenderContext

  /// The permanent nodes of the graph.
  let (input, mix, output): (NodeStorage, NodeStorage, NodeStorage)
  private let ticks = TickScale()
  /// A plan that was replaced, the graph that keeps its memory alive, and the cycle phase that may use it.
  private typealias RetiredPlan = (plan: UInt, model: GraphModel, phase: UInt64)

  private struct Attached: ~Copyable {
    var sampleRate: Double
    /// The frames and the time that had been rendered when the output changed to this rate.
    var framesBefore: UInt64 = 0
    var nanosecondsBefore: UInt64 = 0
    var model: GraphModel
    /// The memory of plans. The first buffers replace the outputs.
    var pool = BufferPool()
    /// Plans that the cycle of a phase may still be executing, with the graphs that own their memory.
    var retired: [RetiredPlan] = []

    init(sampleRate: Double, model: GraphModel) {
      self.sampleRate = sampleRate
      self.model = model
    }

    /// The warm-up of the last plan.
    private var warmUpFrames = 0

    /// Compiles the graph.
    ///
    /// - Parameter begunSerial: the serial of the last plan that a cycle began.
    mutating func makePlan(begunSerial: UInt64) -> UnsafeMutablePointer<RenderPlan> {
      // If no cycle has begun the last plan, its warm-up is still due.
      let pending = begunSerial + 1 < model.serial ? warmUpFrames : 0
      warmUpFrames = max(model.warmUpFrames(), pending)
      let compiler = GraphCompiler(model)
      let outputCount = model.output.outputWidth
      pool.grow(to: outputCount + compiler.poolCount)
      let plan = UnsafeMutablePointer<RenderPlan>.allocate(capacity: 1)
      let buffers = unsafe pool.buffers
      unsafe plan.initialize(
        to: RenderPlan(
          model, compiler, pool: Array(buffers.dropFirst(outputCount)),
          outputs: Array(buffers.prefix(outputCount)),
          fadeFrames: Gain.frames(Gain.fadeSeconds, at: sampleRate), warmUpFrames: warmUpFrames))
      model.notePlan()
      return unsafe plan
    }

    func elapsedNanoseconds(_ frames: UInt64) -> UInt64 {
      nanosecondsBefore
        + UInt64(Double(frames &- framesBefore) * 1_000_000_000 / sampleRate)
    }

    func tellSampleRate() {
      for node in model.nodes {
        switch node.kind {
        case .source(let source):
          unsafe source.shared.pointee.outputRate.store(
            Int(sampleRate.rounded()), ordering: .releasing)
        case .callback(let callback): callback.follow(sampleRate: sampleRate)
        case .monitor(let monitor): monitor.follow(sampleRate: sampleRate)
        case .builtIn(let effect): effect.follow(sampleRate: sampleRate)
        case .input, .mix, .output, .monitorOutput, .capture: break
        }
      }
    }
  }

  /// Protects the rate and the graph against two control threads. Never taken by the render thread.
  private let attached: POSIXMutex<Attached>

  private struct RoutingReport {
    var last: InputRouting?
    var observer: (@Sendable (InputRouting) -> Void)?
  }

  /// Keeps reports of the routing in order. Never taken by the render thread.
  private let routingReport = POSIXMutex(RoutingReport())

  /// Makes a renderer that outputs silence.
  ///
  /// - Parameters:
  ///   - sampleRate: the output's frames per second, one of ``sampleRates``.
  ///   - outputChannels: buffers to fill in each cycle.
  ///   - inputChannels: buffers that each cycle brings, for captures and callbacks. At least one of the two is not 0.
  public init(sampleRate: Double, outputChannels: Int, inputChannels: Int = 0) {
    precondition(
      outputChannels >= 0 && inputChannels >= 0 && outputChannels + inputChannels > 0,
      "a renderer has at least one channel")
    Self.check(sampleRate: sampleRate)
    let model = GraphModel(inputChannels: inputChannels, outputChannels: outputChannels)
    (input, mix, output) = (model.input, model.mix, model.output)
    var attached = Attached(sampleRate: sampleRate, model: model)
    let state = UnsafeMutablePointer<RenderState>.allocate(capacity: 1)
    let plan = unsafe attached.makePlan(begunSerial: 0)
    unsafe state.initialize(
      to: RenderState(
        outputChannels: outputChannels, plan: plan,
        outputs: Array(attached.pool.buffers.prefix(outputChannels))))
    unsafe context = RenderContext(state: state)
    self.attached = POSIXMutex(attached)
    self.outputChannels = outputChannels
    self.inputChannels = inputChannels
  }

  private static func check(sampleRate: Double) {
    // Also false for NaN.
    precondition(
      sampleRates.contains(sampleRate), "a renderer's sample rate is 1 or more, and finite")
  }

  deinit {
    attached.withLock { attached in
      for retired in attached.retired { Self.freePlan(retired.plan) }
    }
    unsafe Self.freePlan(context.state.pointee.plan.load(ordering: .acquiring))
    unsafe context.state.deinitialize(count: 1)
    unsafe context.state.deallocate()
  }

  /// Adds a source. It is silent until it has packets and its ``SourceControl/mode`` is `play`.
  ///
  /// - Parameters:
  ///   - ringBytes: bytes of packets that fit in its ring.
  ///   - ringPackets: packets that fit in its ring.
  ///   - holdsAfterUnderrun: whether it stays silent after an underrun until ``SourceControl/acknowledgeUnderruns()``,
  ///     rather than playing each packet as it arrives.
  ///   - fadesAtUnderrun: whether the sound decays over ``fadeSeconds`` behind the last frame before an underrun, and
  ///     fades in after it.
  ///   - resamplerQuality: the quality of resampling for streams of other rates than the output's.
  ///   - outputs: a range of adjacent outputs for its sound, at least one; nil for all.
  public func addSource(
    ringBytes: Int = 2 << 20, ringPackets: Int = 8192, holdsAfterUnderrun: Bool = true,
    fadesAtUnderrun: Bool = false, resamplerQuality: ResamplerQuality = .good,
    outputs: Range<Int>? = nil
  ) -> RenderSource {
    let bus = RenderBus(outputs, of: outputChannels)
    precondition(bus.channelCount > 0, "a source needs an output")
    let ring = PacketRing.makePair(byteCapacity: ringBytes, entryCapacity: ringPackets)
    let storage = SourceStorage(
      consumer: ring.consumer, outputRate: Int(sampleRate.rounded()),
      bus: bus, holdsAfterUnderrun: holdsAfterUnderrun, fadesAtUnderrun: fadesAtUnderrun)
    // Until its first cycle the source has the output's position.
    unsafe storage.shared.pointee.begin(at: context.state.pointee.lastCycle)
    replacePlan { model in
      let node = NodeStorage(.source(storage), name: "source", outputWidth: bus.channelCount)
      model.add(node)
      model.connect(node, to: mix, targetChannel: bus.firstChannel)
    }
    return RenderSource(
      feed: SourceFeed(
        producer: ring.producer, storage: storage, outputChannels: bus.channelCount,
        resamplerQuality: resamplerQuality),
      control: SourceControl(storage: storage))
  }

  /// Removes a source. Returns at once: a source with sound fades out over ``fadeSeconds`` in the following cycles,
  /// with sound from its ring, and then stops. The first change of the renderer after that, such as adding another
  /// source, frees its memory; the memory of a silent source is freed at once.
  public func remove(_ source: SourceControl) {
    let wasHeld = source.storage.leave()
    let phase = unsafe context.state.pointee.cyclePhase.load(ordering: .sequentiallyConsistent)
    // A cycle that began before this may be rendering the source's first sound.
    if source.storage.hasLeft, wasHeld || phase % 2 == 0 { replacePlan { _ in } }
  }

  /// The elapsed time of the output, from its number of frames, including silence.
  public var elapsedNanoseconds: UInt64 {
    withAttached { $0.elapsedNanoseconds(renderedFrames) }
  }

  private var renderedFrames: UInt64 {
    unsafe context.state.pointee.frames.load(ordering: .relaxed)
  }

  /// The counters of the render path since the renderer was made.
  public var telemetry: RenderTelemetry {
    let scale = ticks.nanosecondsPerTick
    func nanoseconds(_ ticks: borrowing Atomic<UInt64>) -> UInt64 {
      UInt64(Double(ticks.load(ordering: .relaxed)) * scale)
    }
    return unsafe RenderTelemetry(
      cycles: context.state.pointee.cycles.load(ordering: .relaxed),
      frames: context.state.pointee.frames.load(ordering: .relaxed),
      lastCycleNanoseconds: nanoseconds(context.state.pointee.lastTicks),
      longestCycleNanoseconds: nanoseconds(context.state.pointee.longestTicks),
      totalNanoseconds: nanoseconds(context.state.pointee.totalTicks),
      nonFiniteSamples: nonFiniteSampleCount)
  }

  /// ``RenderTelemetry/nonFiniteSamples`` alone.
  public var nonFiniteSampleCount: UInt64 {
    unsafe context.state.pointee.nonFiniteSamples.load(ordering: .relaxed)
  }

  /// Reads the graph.
  func withModel<Result, Failure: Error>(
    _ look: (GraphModel) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withAttached { (attached) throws(Failure) in try look(attached.model) }
  }

  /// Changes the graph and publishes its plan for the next cycle.
  func replacePlan<Failure: Error>(
    _ change: (inout GraphModel) throws(Failure) -> Void
  ) throws(Failure) {
    defer { reportInputRouting() }
    try withAttached { (attached) throws(Failure) in try exchangePlan(of: &attached, change) }
  }

  private func exchangePlan<Failure: Error>(
    of attached: inout Attached, _ change: (inout GraphModel) throws(Failure) -> Void
  ) throws(Failure) {
    let before = attached.model
    var model = before
    let begun = unsafe context.state.pointee.begunSerial.load(ordering: .acquiring)
    if begun == 0 { model.forgetPlans() }
    model.settle(at: renderedFrames)
    // Edges that have faded out are ignored in the change's checks.
    model.prune()
    try change(&model)
    for node in model.nodes {
      if case .source(let source) = node.kind, source.hasLeft { model.release(node) }
    }
    model.align()
    if begun == 0 { model.forgetPlans() }
    model.prune()
    attached.model = model
    attached.tellSampleRate()
    let new = unsafe UInt(bitPattern: attached.makePlan(begunSerial: begun))
    let old = unsafe context.state.pointee.plan.exchange(new, ordering: .sequentiallyConsistent)
    // A cycle stores an odd phase and then loads the plan; here the plan is exchanged and then the phase loaded. All
    // four are sequentially consistent, so they have one order: a cycle that has loaded an old plan did so before the
    // exchange, and what is loaded here is its phase or a later one. If the phase is even, no cycle uses an old plan.
    // If it is odd, at most the cycle of that phase does; the plans retired in it wait for its end.
    let phase = unsafe context.state.pointee.cyclePhase.load(ordering: .sequentiallyConsistent)
    attached.retired.append((old, before, phase))
  }

  /// Calls a function with the routing of the inputs, now and after each change. It replaces the function of the last call.
  ///
  /// - Parameter observer: must not call the renderer or wait for a thread that does. Nil for none.
  package func observeInputRouting(_ observer: (@Sendable (InputRouting) -> Void)?) {
    routingReport.withLock { $0 = RoutingReport(observer: observer) }
    reportInputRouting()
  }

  func reportInputRouting() {
    if inputChannels == 0 { return }
    routingReport.withLock { report in
      guard let observer = report.observer else { return }
      let routing = graph.inputRouting
      if routing == report.last { return }
      report.last = routing
      observer(routing)
    }
  }

  /// Calls a function with the graph and the rate. Then drops faded edges and removed nodes, and frees the retired
  /// plans that no cycle uses. Neither waits for the next edit: reading the graph, the rate or the elapsed time is
  /// enough.
  private func withAttached<Result, Failure: Error>(
    _ body: (inout Attached) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var ended: [RetiredPlan] = []
    // Without the lock: an object that a node owns may call the renderer when it is freed.
    defer { for retired in ended { Self.freePlan(retired.plan) } }
    return try attached.withLock { (attached) throws(Failure) in
      defer {
        if attached.model.hasFaded { exchangePlan(of: &attached) { _ in } }
        ended = takeEndedPlans(of: &attached)
      }
      return try body(&attached)
    }
  }

  /// Removes the plans whose cycles have ended from the retired ones.
  ///
  /// An odd phase belongs to the running cycle, which may use the plans that were retired in it; all other cycles have
  /// ended. Each ended with a releasing store, and the load of the phase has seen that store or a later one, so the
  /// cycle's last use of a plan happened before the plan is freed.
  private func takeEndedPlans(of attached: inout Attached) -> [RetiredPlan] {
    if attached.retired.isEmpty { return [] }
    let phase = unsafe context.state.pointee.cyclePhase.load(ordering: .sequentiallyConsistent)
    let running = phase % 2 == 1 ? phase : nil
    defer { attached.retired.removeAll { $0.phase != running } }
    return attached.retired.filter { $0.phase != running }
  }

  private static func freePlan(_ address: UInt) {
    guard let plan = unsafe UnsafeMutablePointer<RenderPlan>(bitPattern: address) else { return }
    unsafe plan.deinitialize(count: 1)
    unsafe plan.deallocate()
  }
}
