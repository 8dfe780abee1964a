// SPDX-License-Identifier: MIT

internal import AudioModel
internal import RenderCore

/// Passes frames decoded ahead to the ring: resampled to the output's rate where needed, and with streams joined as the
/// callback's converters join them.
///
/// Holds the frames of one packet and the resampler's look-ahead. Feeder thread only.
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
  ///   - metadata: the run's packet metadata, in frames of the decoded stream.
  ///   - news: the stream and title that begin with the first untrimmed frame. The very first run begins a stream.
  ///   - outputRate: the rate for a stream that begins here, in frames per second.
  /// - Throws: `AudioConverterError` if the stream cannot be resampled; the run is dropped then.
  func append(
    _ samples: Span<Float>, metadata: PacketMetadata, news: RunNews, outputRate: Int
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
      resampling.append(samples, metadata: metadata, news: news, to: &packets)
    } else {
      packets.append(samples, metadata: metadata, news: news)
    }
  }

  /// Adds the frames that the resampler still holds. No stream continues after them.
  func finish() {
    resampling?.finish(&packets)
    resampling = nil
  }

  /// Discards all pending frames.
  func removeAll() {
    packets.removeAll()
    resampling = nil
  }
}
