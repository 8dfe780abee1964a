// SPDX-License-Identifier: MIT

public import AudioModel

/// The render side of a graph's filter bank. Owned by the render thread while an output runs.
@safe
struct FilterBankUnit: ~Copyable {
  private var bank: FilterBank
  private let shared: UnsafeMutablePointer<FilterBankShared>
  private var hasSettings = false
  /// The device frame after those that have been filtered.
  private var nextFrame = UInt64.max

  init(channels: Int, shared: UnsafeMutablePointer<FilterBankShared>) {
    bank = FilterBank(channels: channels)
    unsafe self.shared = unsafe shared
  }

  /// Filters a cycle's frames in place. Real-time: wait-free, render thread only.
  @_noLocks @inline(never)
  mutating func render(
    _ buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int,
    deviceFrame: UInt64
  ) {
    if deviceFrame == nextFrame {
      unsafe bank.takeSettings(shared.pointee)
    } else if unsafe bank.begin(shared.pointee) {
      hasSettings = true
    } else if !hasSettings {
      // Without its filters the sound could be louder. The next cycle tries again.
      for channel in 0..<buffers.count {
        unsafe buffers[channel].update(repeating: 0, count: frameCount)
      }
      return
    }
    nextFrame = deviceFrame &+ UInt64(frameCount)
    unsafe bank.apply(to: buffers, frameCount: frameCount, deviceFrame: deviceFrame)
  }
}

/// The owner of the memory of a graph's filter bank. Its control and the renderer's graph hold it.
@safe
final class FilterBankStorage: BuiltInEffect, @unchecked Sendable {
  typealias Design = @Sendable (_ sampleRate: Double) -> [[BiquadCoefficients]]

  private struct Control {
    var sampleRate: Double
    var design: Design = { _ in [[]] }
  }

  private let unit: RenderMemory<FilterBankUnit>
  private let shared: RenderMemory<FilterBankShared>
  private let channelCount: Int
  /// Protects the control side against two control threads. Never taken by the render thread.
  private let control: POSIXMutex<Control>

  init(channels: Int, sampleRate: Double) {
    channelCount = channels
    shared = RenderMemory(FilterBankShared(channels: channels))
    unit = unsafe RenderMemory(FilterBankUnit(channels: channels, shared: shared.address))
    control = POSIXMutex(Control(sampleRate: sampleRate))
    unsafe shared.address.pointee.publish(
      [[]], mixSeconds: Gain.fadeSeconds, sampleRate: sampleRate)
  }

  var operation: EffectOperation { unsafe .filter(unit.address) }

  func set(_ design: @escaping Design) throws(FilterBankError) {
    try control.withLock { (control) throws(FilterBankError) in
      let sections = design(control.sampleRate)
      try check(sections)
      control.design = design
      publish(sections, control)
    }
  }

  private func check(_ sections: [[BiquadCoefficients]]) throws(FilterBankError) {
    guard sections.count == 1 || sections.count == channelCount else {
      throw .wrongChannelCount(sections.count, expected: channelCount)
    }
    let longest = sections.map { $0.count { !$0.changesNothing } }.max() ?? 0
    guard longest <= FilterBank.maximumSections else { throw .tooManySections(longest) }
    guard sections.allSatisfy({ $0.allSatisfy { $0.isFinite && $0.isStable } }) else {
      throw .unstableSection
    }
  }

  func follow(sampleRate: Double) {
    control.withLock { control in
      guard control.sampleRate != sampleRate else { return }
      control.sampleRate = sampleRate
      publish(designed(control), control)
    }
  }

  /// Returns the sections at the present rate; flat if they are refused at that rate.
  private func designed(_ control: Control) -> [[BiquadCoefficients]] {
    let sections = control.design(control.sampleRate)
    return (try? check(sections)) == nil ? [[]] : sections
  }

  private func publish(_ sections: [[BiquadCoefficients]], _ control: Control) {
    unsafe shared.address.pointee.publish(
      sections, mixSeconds: Gain.fadeSeconds, sampleRate: control.sampleRate)
  }
}

/// The control of a filter bank in a renderer's graph: Core Audio's `kAudioUnitSubType_NBandEQ`, with any second-order
/// sections.
///
/// Samples pass all sections in double precision. A new curve takes 20 ms, in which the old and the new sections run
/// in parallel. A flat bank changes no bit of a sample. Any thread but the render thread.
public final class FilterBankControl: Sendable {
  /// The most sections of a channel.
  public static var maximumSections: Int { FilterBank.maximumSections }

  let storage: FilterBankStorage
  /// The bank's node in the renderer's ``ProcessingGraph``.
  public let node: GraphNode

  init(storage: FilterBankStorage, node: GraphNode) {
    self.storage = storage
    self.node = node
  }

  /// Sets the sections. The bank is flat before the first call, and while the renderer has a rate for which the
  /// sections are refused.
  ///
  /// - Parameter design: returns the sections for a sample rate in frames per second: one list for all channels, or one
  ///   for each. It is called at once, and again when the renderer's rate changes. It must not call the bank or
  ///   the renderer, nor hold the renderer.
  /// - Throws: ``FilterBankError``; the sections are unchanged then.
  public func set(
    _ design: @escaping @Sendable (_ sampleRate: Double) -> [[BiquadCoefficients]]
  ) throws(FilterBankError) {
    try storage.set(design)
  }
}

/// An error of ``FilterBankControl/set(_:)``.
public enum FilterBankError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A channel has more sections than ``FilterBankControl/maximumSections``.
  case tooManySections(Int)
  /// The number of lists is neither 1 nor the bank's number of channels.
  case wrongChannelCount(Int, expected: Int)
  /// A section has coefficients that are not finite, or grows without end.
  case unstableSection

  /// The reason, and a remedy.
  public var description: String {
    switch self {
    case .tooManySections(let count):
      "\(count) filter sections in a channel, at most \(FilterBankControl.maximumSections); "
        + "use fewer filters"
    case .wrongChannelCount(let count, let expected):
      "filters for \(count) channels; give one list for all channels or \(expected)"
    case .unstableSection:
      "a filter section is unstable or not finite; check its gain, frequency and Q"
    }
  }
}

extension ProcessingGraph {
  /// Adds a filter bank. It filters once it leads to the output.
  ///
  /// - Parameter channelCount: the channels of its input bus and of its output bus, at least one.
  /// - Returns: the control, which has the node.
  public func addFilterBank(channelCount: Int) -> FilterBankControl {
    precondition(channelCount > 0, "a filter bank has channels")
    let storage = FilterBankStorage(channels: channelCount, sampleRate: renderer.sampleRate)
    let node = add(storage, name: "filter bank", channelCount: channelCount)
    return FilterBankControl(storage: storage, node: node)
  }
}
