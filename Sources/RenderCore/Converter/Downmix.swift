// SPDX-License-Identifier: MIT

package import AudioModel

/// The downmix of the render path, for the other targets of this package.
package enum Downmix {
  /// Returns the gains of the documented downmix to fewer channels, `[output * inputs + input]`.
  ///
  /// - Parameter layout: the speakers of the inputs; nil for the standard ones.
  package static func gains(
    inputs: Int, outputs: Int, layout: AudioChannelLayout?
  ) -> [Float] {
    ChannelMap.downmix(
      inputs: inputs, outputs: outputs, speakers: ChannelMap.speakers(inputs, layout))
  }
}
