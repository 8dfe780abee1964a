// SPDX-License-Identifier: MIT

internal import AudioModel
internal import Glibc
internal import RenderCore

/// Measures the time that the callback needs to decode and resample one packet of a stream.
///
/// It runs the callback's decoder and resampler on the stream's first packets, and reads the processor time of the
/// calling thread, which excludes other threads and programs. Feeder thread only.
struct PacketCost {
  /// The most packets to decode.
  private static let measuredPackets = 12
  /// The first packets do not count if there are more, because they touch new pages of memory.
  private static let warmUpPackets = 2
  /// Input frames for the resampler.
  private static let resampledFrames = 4096

  private struct Rates: Equatable {
    var input: Int
    var output: Int
    var channels: Int
  }

  private let quality: ResamplerQuality
  /// The last measured pair of rates, and the time for an input frame.
  private var resampled: (rates: Rates, nanosecondsPerFrame: Double)?

  init(quality: ResamplerQuality) {
    self.quality = quality
  }

  /// - Parameters:
  ///   - stream: a format that the callback can decode.
  ///   - packets: the stream's first packets, at least one.
  ///   - outputRate: frames per second of the output.
  /// - Returns: nanoseconds for the second slowest of the measured packets.
  /// - Throws: `AudioConverterError` if the callback cannot decode or resample the stream.
  mutating func nanoseconds(
    _ stream: CodedStreamDescription, _ packets: borrowing PendingPackets, outputRate: Int
  ) throws(AudioConverterError) -> UInt64 {
    let decoding = try Self.decoding(stream, packets)
    let inputRate = Int(stream.format.sampleRate.rounded())
    guard inputRate != outputRate, decoding.frames > 0 else { return decoding.nanoseconds }
    let rates = Rates(
      input: inputRate, output: outputRate, channels: Int(stream.format.channelsPerFrame))
    let perFrame: Double
    if let resampled, resampled.rates == rates {
      perFrame = resampled.nanosecondsPerFrame
    } else {
      perFrame = try resampling(rates)
      resampled = (rates, perFrame)
    }
    return decoding.nanoseconds + UInt64(perFrame * Double(decoding.frames))
  }

  /// Measures the time to decode the second slowest packet, and the frames of the longest one.
  private static func decoding(
    _ stream: CodedStreamDescription, _ packets: borrowing PendingPackets
  ) throws(AudioConverterError) -> (nanoseconds: UInt64, frames: Int) {
    let items = packets.first(measuredPackets)
    var made: Result<OfflinePacketDecoder, AudioConverterError>?
    if let first = items.first {
      unsafe packets.withBytes(of: first) { bytes in
        do throws(AudioConverterError) {
          made = .success(unsafe try OfflinePacketDecoder(stream, firstPacket: bytes))
        } catch {
          made = .failure(error)
        }
      }
    }
    guard let decoder = try made?.get() else { return (0, 0) }
    var times: [UInt64] = []
    var longest = 0
    for (index, item) in items.enumerated() {
      let start = threadNanoseconds()
      let frames = unsafe packets.withBytes(of: item) { bytes in
        unsafe decoder.decode(bytes, frameCount: Int(item.metadata.frameCount))?.frames ?? 0
      }
      let taken = threadNanoseconds() - start
      longest = max(longest, frames)
      if index >= warmUpPackets || items.count <= warmUpPackets { times.append(taken) }
    }
    times.sort()
    // The slowest time may include an interrupt.
    return (times.dropLast(times.count > 2 ? 1 : 0).last ?? 0, longest)
  }

  /// Measures the time to resample an input frame.
  private func resampling(_ rates: Rates) throws(AudioConverterError) -> Double {
    let resampler = try OfflineResampler(
      inputRate: rates.input, outputRate: rates.output, channels: rates.channels,
      quality: quality)
    let most = OfflineResampler.maximumFramesPerCall
    let input = [Float](repeating: 0.25, count: Self.resampledFrames * rates.channels)
    var output = [Float](repeating: 0, count: most * rates.channels)
    let start = threadNanoseconds()
    unsafe input.withUnsafeBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        guard let first = input.baseAddress, let output = output.baseAddress else { return }
        var taken = 0
        while true {
          let moved = unsafe resampler.process(
            first + taken * rates.channels, inputCount: Self.resampledFrames - taken, into: output,
            outputCount: most)
          if moved == (0, 0) { break }
          taken += moved.taken
        }
      }
    }
    return Double(threadNanoseconds() - start) / Double(Self.resampledFrames)
  }
}

/// The calling thread's processor time.
private func threadNanoseconds() -> UInt64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
