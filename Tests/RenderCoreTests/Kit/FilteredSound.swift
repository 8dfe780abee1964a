// SPDX-License-Identifier: MIT

import AudioModel
import Equalizers
import TestKit

@testable import RenderCore

/// A filter bank with its settings and its output.
@safe
final class FilteredSound {
  let rate: Double
  private let channels: Int
  private let shared: UnsafeMutablePointer<FilterBankShared>
  private let bank: UnsafeMutablePointer<FilterBank>
  private let cuts: Cuts
  private var random: SplitMix
  private(set) var deviceFrame: UInt64

  init(channels: Int, rate: Double = 48000, cuts: Cuts = .even(64), deviceFrame: UInt64 = 0) {
    self.channels = channels
    self.rate = rate
    self.cuts = cuts
    self.deviceFrame = deviceFrame
    random = cuts.generator
    unsafe shared = .allocate(capacity: 1)
    unsafe shared.initialize(to: FilterBankShared(channels: channels))
    unsafe bank = .allocate(capacity: 1)
    unsafe bank.initialize(to: FilterBank(channels: channels))
  }

  deinit {
    unsafe bank.deinitialize(count: 1)
    unsafe bank.deallocate()
    unsafe shared.deinitialize(count: 1)
    unsafe shared.deallocate()
  }

  /// - Parameter curves: nil turns the bank off.
  func set(_ curves: [[EqualizerFilter]]?, mixSeconds: Double = 0.02) throws {
    let sections = try curves?.map { curve in
      try curve.map { try $0.coefficients(sampleRate: rate) }
    }
    unsafe shared.pointee.publish(sections, mixSeconds: mixSeconds, sampleRate: rate)
  }

  /// Turns the bank on and lets its fade end, in 64 frames of silence.
  func start(_ curves: [[EqualizerFilter]]) throws {
    try set(curves, mixSeconds: 0)
    _ = hear([[Float]](repeating: [Float](repeating: 0, count: 64), count: channels))
  }

  /// Filters frames in cycles.
  func hear(_ input: [[Float]]) -> [[Float]] {
    unsafe processed(input, cycles: cuts.cycles(input[0].count, &random)) { places, frames in
      unsafe bank.pointee.takeSettings(shared.pointee)
      unsafe bank.pointee.apply(to: places, frameCount: frames, deviceFrame: deviceFrame)
      deviceFrame += UInt64(frames)
    }
  }
}

/// Returns a section with a Q.
func section(
  _ kind: EqualizerFilter.Kind, _ frequencyHertz: Double, gain: Double = 0,
  q: Double = EqualizerFilter.butterworthQuality
) -> EqualizerFilter {
  EqualizerFilter(
    kind, frequencyHertz: frequencyHertz, gainDecibels: gain,
    width: kind.isFirstOrder ? nil : .quality(q))
}

extension EqualizerFilter {
  /// Returns ten bands of an equaliser, an octave apart.
  static func ten(_ gain: Double = 3, q: Double = 1.41) -> [EqualizerFilter] {
    (0..<10).map {
      section(
        .peaking, 31.25 * Double(1 << $0), gain: $0 % 2 == 0 ? gain : -gain, q: q)
    }
  }

  /// The Q; that of a Butterworth filter for a first-order type.
  var q: Double { if case .quality(let q) = width { q } else { Self.butterworthQuality } }
}
