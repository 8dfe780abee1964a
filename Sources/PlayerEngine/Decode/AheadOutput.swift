// SPDX-License-Identifier: MIT

internal import AudioModel
internal import RenderCore

/// What was decoded ahead, on its way into the ring: brought to the output's rate where it has another,
/// one stream behind the other, as the callback's converters would do it.
///
/// Holds the frames of one packet, and what a resampler looks ahead. Feeder thread only.
final class AheadOutput {
  /// Runs that wait for room in the ring.
  var packets = PendingPackets()
  private let quality: ResamplerQuality
  private var resampling: AheadResampling?

  init(quality: ResamplerQuality) {
    self.quality = quality
  }

  /// Adds a run of decoded frames.
  ///
  /// - Parameters:
  ///   - samples: all of its frames, interleaved, the trimmed ones included.
  ///   - history: of the run, in frames of the decoded stream.
  ///   - news: what begins with the first frame that is not trimmed. The first run of all begins a stream.
  ///   - outputRate: what a stream that begins here is brought to.
  /// - Throws: why it cannot be; the run is dropped then.
  func append(
    _ samples: Span<Float>, history: PacketHistory, news: RunNews, outputRate: Int
  ) throws(AudioConverterError) {
    if let format = news.begun?.stream.format,
      resampling?.canGoOn(with: format, to: outputRate) != true
    {
      finish()
      if Int(format.sampleRate.rounded()) != outputRate {
        resampling = try AheadResampling(format, to: outputRate, quality: quality)
      }
    }
    if let resampling {
      resampling.append(samples, history: history, news: news, to: &packets)
    } else {
      packets.append(samples, history: history, news: news)
    }
  }

  /// Adds what the resampler still holds: nothing goes on behind it.
  func finish() {
    resampling?.finish(&packets)
    resampling = nil
  }

  /// Forgets everything.
  func removeAll() {
    packets.removeAll()
    resampling = nil
  }
}
