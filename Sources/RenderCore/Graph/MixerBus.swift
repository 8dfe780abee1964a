// SPDX-License-Identifier: MIT

internal import Glibc

/// The settings of a mixer's bus, like those of a bus of Core Audio's `kAudioUnitSubType_MultiChannelMixer` and
/// `kAudioUnitSubType_MatrixMixer`.
public struct MixerBus: Sendable, Equatable {
  /// The linear gain, up to ``SourceControl/maximumVolume``.
  public var gain: Float = 1
  /// The position between the first two outputs, from -1 (the first alone) to 1. NaN counts as 0.
  ///
  /// A bus of one channel has constant power: with *a* = (pan + 1) · π / 4 the gains are cos *a* and sin *a*, -3 dB in the
  /// middle. A wider bus, or one with a matrix, keeps its nearer side: the gains are at most 1, √2 · cos *a* and √2 · sin *a*.
  public var pan: Float = 0
  /// Whether the bus is silent.
  public var isMuted = false
  /// Whether the bus is soloed, which silences all buses that are not.
  public var isSoloed = false
  /// Whether the polarity is inverted.
  public var isInverted = false
  /// The linear gain from each channel of the bus (outer list) to each output (inner list). Missing ones are 0. If nil,
  /// one channel goes to the first two outputs, and several channels go to the outputs of the same number.
  public var matrix: [[Float]]?

  /// Creates a bus that changes nothing.
  public init() {}

  /// Returns the gain from a channel of the bus to an output.
  ///
  /// - Parameters:
  ///   - channelCount: the number of the bus's channels.
  ///   - outputCount: the number of the mixer's outputs.
  func gain(from channel: Int, of channelCount: Int, to output: Int, of outputCount: Int) -> Float {
    if isMuted { return 0 }
    let isPanned = outputCount > 1 && output < 2
    let isSpread = matrix == nil && channelCount == 1
    let crosspoint: Float
    if let matrix {
      let row = matrix.indices.contains(channel) ? matrix[channel] : []
      crosspoint = row.indices.contains(output) ? row[output] : 0
    } else {
      crosspoint = isSpread && isPanned || channel == output ? 1 : 0
    }
    if crosspoint == 0 { return 0 }
    let side = isPanned ? panGain(output, isSpread: isSpread) : 1
    return (isInverted ? -1 : 1) * gain * crosspoint * side
  }

  private func panGain(_ output: Int, isSpread: Bool) -> Float {
    let place = pan.isNaN ? 0 : max(-1, min(1, Double(pan)))
    let angle = (place + 1) * .pi / 4
    // Exactly 0 at the far end.
    if output == 0, place == 1 { return 0 }
    let power = output == 0 ? cos(angle) : sin(angle)
    return Float(isSpread ? power : min(1, power * 2.0.squareRoot()))
  }
}
