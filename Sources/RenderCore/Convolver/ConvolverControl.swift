// SPDX-License-Identifier: MIT

/// The render side of a graph's convolver. Owned by the render thread while an output runs.
@safe
struct ConvolverUnit: ~Copyable {
  private var convolver: Convolver
  /// The device frame after those that have been convolved.
  private var nextFrame = UInt64.max

  init(_ convolver: consuming Convolver) {
    self.convolver = convolver
  }

  /// Convolves a cycle's frames in place. Real-time: wait-free, render thread only.
  ///
  /// - Returns: the number of samples that were NaN or infinite.
  @_noLocks @inline(never)
  mutating func render(
    _ buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int,
    deviceFrame: UInt64
  ) -> Int {
    if deviceFrame != nextFrame { convolver.begin() }
    nextFrame = deviceFrame &+ UInt64(frameCount)
    return unsafe convolver.apply(to: buffers, frameCount: frameCount, deviceFrame: deviceFrame)
  }
}

/// The owner of the memory of a graph's convolver. Its control and the renderer's graph hold it.
@safe
final class ConvolverStorage: BuiltInEffect, @unchecked Sendable {
  private struct Control {
    var sampleRate: Double
    /// The response at a sample rate.
    var responses: @Sendable (Double) -> ImpulseResponse? = { _ in nil }
    /// The response at the present rate.
    var response: ImpulseResponse?
  }

  let maximumFrames: Int
  private let channelCount: Int
  private let unit: RenderMemory<ConvolverUnit>
  private let exchange: RenderMemory<ResponseExchange>
  /// Protects the control side against two control threads. Never taken by the render thread.
  private let control: POSIXMutex<Control>

  init(channels: Int, maximumFrames: Int, sampleRate: Double) throws(ConvolverError) {
    exchange = RenderMemory(ResponseExchange())
    let frames = BlockTransform.partitionFrames
    unit = unsafe RenderMemory(
      ConvolverUnit(
        try Convolver(
          channels: channels, partitions: (maximumFrames + frames - 1) / frames,
          exchange: exchange.address)))
    self.maximumFrames = maximumFrames
    channelCount = channels
    control = POSIXMutex(Control(sampleRate: sampleRate))
  }

  var operation: EffectOperation { unsafe .convolve(unit.address) }

  var mixesChannels: Bool { true }

  var tailFrames: Int {
    control.withLock { control in
      guard let response = control.response, response.hasTail else { return 0 }
      return min(response.frameCount(at: control.sampleRate), maximumFrames) - 1
    }
  }

  func set(
    _ responses: @escaping @Sendable (Double) -> ImpulseResponse?
  ) throws(ConvolverError) {
    try control.withLock { (control) throws(ConvolverError) in
      let response = responses(control.sampleRate)
      let partitioned = try partitioned(response, at: control.sampleRate, mayCut: false)
      control.responses = responses
      control.response = response
      unsafe exchange.address.pointee.offer(partitioned)
    }
  }

  func follow(sampleRate: Double) {
    control.withLock { control in
      unsafe exchange.address.pointee.reclaim()
      guard control.sampleRate != sampleRate else { return }
      control.sampleRate = sampleRate
      let old = control.response
      control.response = control.responses(sampleRate)
      guard old != nil || control.response != nil else { return }
      let partitioned = try? partitioned(control.response, at: sampleRate, mayCut: true)
      unsafe exchange.address.pointee.offer(
        partitioned ?? PartitionedResponse(fadeFrames: Self.fadeFrames(at: sampleRate)))
    }
  }

  private static func fadeFrames(at sampleRate: Double) -> Int {
    Gain.frames(FilterBank.changeSeconds, at: sampleRate)
  }

  /// - Parameter mayCut: whether the end of a response that is too long is cut off.
  private func partitioned(
    _ response: ImpulseResponse?, at rate: Double, mayCut: Bool
  ) throws(ConvolverError) -> PartitionedResponse {
    let fadeFrames = Self.fadeFrames(at: rate)
    guard let response else { return PartitionedResponse(fadeFrames: fadeFrames) }
    let count = response.channels.count
    guard count == 1 || count == channelCount || count == channelCount * channelCount else {
      throw .wrongChannelCount(count, nodeChannels: channelCount)
    }
    let frames = response.frameCount(at: rate)
    if frames > maximumFrames, !mayCut { throw .tooLong(frames: frames, maximum: maximumFrames) }
    let channels = try response.channels(at: rate).map { Array($0.prefix(maximumFrames)) }
    return try PartitionedResponse(channels, channels: channelCount, fadeFrames: fadeFrames)
  }
}

/// The control of a convolver in a renderer's graph, as for rooms, loudspeakers and linear-phase equalisers.
///
/// The output is late by ``latencyFrames``. NaN and infinity become 0 and count in
/// ``Renderer/nonFiniteSampleCount``. Any thread but the render thread.
public final class ConvolverControl: Sendable {
  /// The latency of each convolver: one partition.
  public static let latencyFrames = 256
  /// The longest response of any convolver.
  public static let maximumResponseFrames = 1 << 20

  private let storage: ConvolverStorage
  /// The convolver's node in the renderer's ``ProcessingGraph``.
  public let node: GraphNode

  init(storage: ConvolverStorage, node: GraphNode) {
    self.storage = storage
    self.node = node
  }

  /// The longest response of this convolver, in frames of the renderer.
  public var maximumFrames: Int { storage.maximumFrames }

  /// Sets the impulse response; none at first. The change is a crossfade of 20 ms.
  ///
  /// The response is resampled to the renderer's rate, and again when that changes. If it is longer than
  /// ``maximumFrames`` at the present rate, this throws. If it becomes so at a later rate, its end is cut off. The
  /// calling thread resamples and transforms, 0.1 s for the longest stereo response. Other calls of the graph and the
  /// renderer may wait meanwhile.
  ///
  /// - Parameter response: its channels are one for all channels of the node, one for each, or one for each pair of an
  ///   input and an output, those of the first input first: LL, LR, RL, RR for true stereo. Nil only delays, and
  ///   changes no bit of a sample.
  /// - Throws: ``ConvolverError``; the response is unchanged then.
  public func set(_ response: ImpulseResponse?) throws(ConvolverError) {
    try storage.set { _ in response }
  }

  /// Sets the impulse response for each sample rate. The change is the same crossfade.
  ///
  /// - Parameter responses: returns the response at a sample rate. It is called here with the present one, and again when
  ///   that changes, on the thread that changes it. It must not call the convolver or the renderer, nor hold the
  ///   renderer. A response of another rate is resampled.
  /// - Throws: ``ConvolverError``; the response is unchanged then.
  public func set(
    _ responses: @escaping @Sendable (_ sampleRate: Double) -> ImpulseResponse?
  ) throws(ConvolverError) {
    try storage.set(responses)
  }
}

extension ProcessingGraph {
  /// Adds a convolver. It convolves once it leads to the output.
  ///
  /// - Parameters:
  ///   - channelCount: the channels of its input bus and of its output bus, at least one.
  ///   - maximumFrames: the longest response, 1 to ``ConvolverControl/maximumResponseFrames``. Its memory is allocated here:
  ///     8 bytes a frame and channel.
  /// - Returns: the control, which has the node.
  /// - Throws: `libraryMissing`.
  public func addConvolver(
    channelCount: Int, maximumFrames: Int
  ) throws(ConvolverError) -> ConvolverControl {
    precondition(
      channelCount > 0 && (1...ConvolverControl.maximumResponseFrames).contains(maximumFrames),
      "a convolver has channels and a possible length")
    let storage = try ConvolverStorage(
      channels: channelCount, maximumFrames: maximumFrames, sampleRate: renderer.sampleRate)
    let node = add(
      storage, name: "convolver", channelCount: channelCount,
      latencyFrames: ConvolverControl.latencyFrames)
    return ConvolverControl(storage: storage, node: node)
  }
}
