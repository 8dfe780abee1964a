// SPDX-License-Identifier: MIT

public import AudioModel

#if DRAWBAR_EBUR128
  internal import CEBUR128
#endif

/// A meter of the loudness of captured sound, using libebur128.
///
/// One thread at a time, not the render thread: it allocates.
@safe
public struct LoudnessMeter: ~Copyable {
  /// Channels of the frames.
  public let channelCount: Int
  /// Frames of one cycle, interleaved.
  private var interleaved: [Float] = []

  #if DRAWBAR_EBUR128
    private let functions: drawbar_ebur128
    private var state: UnsafeMutablePointer<ebur128_state>?

    /// The functions; nil if the library that the header belongs to is not installed.
    private static let library: drawbar_ebur128? = {
      let place = UnsafeMutablePointer<drawbar_ebur128>.allocate(capacity: 1)
      defer { unsafe place.deallocate() }
      guard unsafe drawbar_ebur128_load(place) else { return nil }
      return unsafe place.pointee
    }()
  #endif

  /// Creates a meter that has measured no frames.
  ///
  /// - Parameters:
  ///   - sampleRate: frames per second, rounded to whole ones.
  ///   - channelCount: channels of the frames. One channel is measured as played by two loudspeakers. Of several, each
  ///     has the weight of a front left channel, because their positions are unknown.
  /// - Returns: nil if the package was built without libebur128, the library is not installed, or it does not support
  ///   the rate or the number of channels.
  public init?(sampleRate: Double, channelCount: Int) {
    #if DRAWBAR_EBUR128
      guard let functions = Self.library, channelCount > 0, sampleRate >= 1, sampleRate < 1e7,
        let state = unsafe functions.ebur128_init(
          UInt32(channelCount), UInt(sampleRate.rounded()),
          Int32(EBUR128_MODE_I.rawValue | EBUR128_MODE_S.rawValue | EBUR128_MODE_HISTOGRAM.rawValue)
        )
      else { return nil }
      self.functions = functions
      self.channelCount = channelCount
      unsafe self.state = state
      let kind = channelCount == 1 ? EBUR128_DUAL_MONO : EBUR128_LEFT
      for channel in 0..<channelCount {
        _ = unsafe functions.ebur128_set_channel(
          state, UInt32(channel), Int32(bitPattern: kind.rawValue))
      }
    #else
      return nil
    #endif
  }

  deinit {
    #if DRAWBAR_EBUR128
      var state = unsafe state
      unsafe functions.ebur128_destroy(&state)
    #endif
  }

  /// Adds interleaved frames to the measurement. A sample that is not finite counts as silence.
  public mutating func add(interleaved samples: Span<Float>) {
    #if DRAWBAR_EBUR128
      precondition(samples.count % channelCount == 0, "frames are taken in whole")
      interleaved.removeAll(keepingCapacity: true)
      for index in samples.indices {
        interleaved.append(samples[index].isFinite ? samples[index] : 0)
      }
      _ = unsafe interleaved.withUnsafeBufferPointer { buffer in
        unsafe functions.ebur128_add_frames_float(
          state, buffer.baseAddress, buffer.count / channelCount)
      }
    #endif
  }

  /// The loudness up to the last frame that was added.
  public var loudness: Loudness {
    #if DRAWBAR_EBUR128
      var (momentary, shortTerm, integrated) = (0.0, 0.0, 0.0)
      let status = unsafe [
        functions.ebur128_loudness_momentary(state, &momentary),
        functions.ebur128_loudness_shortterm(state, &shortTerm),
        functions.ebur128_loudness_global(state, &integrated),
      ]
      func known(_ value: Double, _ status: Int32) -> Double? {
        status == 0 && value.isFinite ? value : nil
      }
      return Loudness(
        momentary: known(momentary, status[0]), shortTerm: known(shortTerm, status[1]),
        integrated: known(integrated, status[2]))
    #else
      return Loudness()
    #endif
  }
}
