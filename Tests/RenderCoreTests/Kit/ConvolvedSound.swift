// SPDX-License-Identifier: MIT

import Glibc
import TestKit

@testable import RenderCore

/// A convolver and its output.
final class ConvolvedSound {
  let rate: Double
  private let storage: ConvolverStorage
  private let cuts: Cuts
  private var random: SplitMix
  private(set) var deviceFrame: UInt64
  /// Samples that were NaN or infinite.
  private(set) var nonFiniteSamples = 0

  init(
    channels: Int, maximumFrames: Int = 1 << 16, rate: Double = 48000, cuts: Cuts = .even(256),
    deviceFrame: UInt64 = 0
  ) throws {
    storage = try ConvolverStorage(
      channels: channels, maximumFrames: maximumFrames, sampleRate: rate)
    self.rate = rate
    self.cuts = cuts
    self.deviceFrame = deviceFrame
    random = cuts.generator
  }

  func set(_ channels: [[Float]]?, rate: Double? = nil) throws {
    let response = try channels.map {
      try ImpulseResponse(channels: $0, sampleRate: rate ?? self.rate)
    }
    try storage.set { _ in response }
  }

  func follow(sampleRate: Double) { storage.follow(sampleRate: sampleRate) }

  /// Convolves frames in cycles.
  func hear(_ input: [[Float]]) -> [[Float]] {
    unsafe processed(input, cycles: cuts.cycles(input[0].count, &random)) { places, frames in
      unsafe nonFiniteSamples += storage.operation.render(
        places, frameCount: frames, deviceFrame: deviceFrame)
      deviceFrame += UInt64(frames)
    }
  }

  /// Advances the device frame without convolving.
  func skip(_ frames: Int) { deviceFrame += UInt64(frames) }
}
