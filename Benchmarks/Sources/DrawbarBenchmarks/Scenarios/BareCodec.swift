// SPDX-License-Identifier: MIT

internal import AudioModel
internal import BarePeers

@testable internal import PacketDecoders
@testable internal import RenderCore

/// A codec library in a C loop over a table's packets.
@safe
final class BareCodec {
  let name: String
  private let table: PacketTable
  private let codec: OpaquePointer

  /// - Parameter packets: the number of packets decoded before starting over.
  init(_ table: PacketTable, packets: Int) throws(BenchmarkFailure) {
    self.table = table
    let cookie = try Self.cookie(of: table)
    let (made, library) = unsafe cookie.withUnsafeBufferPointer { cookie in
      var stream = unsafe bare_stream(
        packets: UnsafePointer(table.packets.baseAddress), count: packets,
        sample_rate: Int32(table.format.sampleRate), channels: Int32(table.channels),
        cookie: cookie.baseAddress, cookie_count: cookie.count)
      return unsafe Self.make(&stream, table.format)
    }
    guard let codec = unsafe made else {
      throw BenchmarkFailure("\(table.name): \(library) does not start with this stream")
    }
    name = library + " in C"
    unsafe self.codec = codec
  }

  deinit {
    unsafe bare_codec_free(codec)
  }

  private static func make(
    _ stream: UnsafeMutablePointer<bare_stream>, _ format: AudioStreamBasicDescription
  ) -> (codec: OpaquePointer?, name: String) {
    switch format.formatID {
    case .mpegLayer1, .mpegLayer2, .mpegLayer3: unsafe (bare_mpg123_make(stream), "libmpg123")
    case .flac: unsafe (bare_flac_make(stream), "libFLAC")
    case .opus: unsafe (bare_opus_make(stream), "libopus")
    case .linearPCM where format.bitsPerChannel == 16:
      unsafe (bare_samples_make(stream, bare_little_int16), "loop")
    case .linearPCM: unsafe (bare_samples_make(stream, bare_little_int24), "loop")
    case .aLaw: unsafe (bare_samples_make(stream, bare_a_law), "loop")
    case .appleIMA4: unsafe (bare_samples_make(stream, bare_apple_ima4), "loop")
    case let other:
      unsafe (bare_avcodec_make(stream, AheadCodec.decoderNames(for: other).first), "libavcodec")
    }
  }

  /// The library's parameters besides the format, as passed by the engine.
  private static func cookie(of table: PacketTable) throws(BenchmarkFailure) -> [UInt8] {
    let (format, cookie) = (table.format.formatID, table.stream.magicCookie)
    if format == .flac {
      do throws(AudioConverterError) {
        return try FLACStreamInformation(cookie, channels: table.channels).bytes
      } catch {
        throw BenchmarkFailure("\(table.name): \(error)")
      }
    }
    if CallbackCodec.library(for: format) != nil { return cookie }
    return DecoderExtradata(cookie, format: format)?.bytes ?? []
  }

  func run(packets: Int, rewinds: Bool) -> Timing {
    if rewinds { unsafe bare_codec_rewind(codec) }
    var total: UInt64 = 0
    for _ in 0..<packets / DecodeBatch.packets {
      total += Timing.of { _ = unsafe bare_codec_run(codec, DecodeBatch.packets) }
    }
    return Timing(nanoseconds: total)
  }

  /// Whether the last packet sounds the same on both sides.
  func plays(as path: any DecodePath) -> Bool {
    guard unsafe bare_codec_frames(codec) == path.lastFrames else { return false }
    for channel in 0..<table.channels {
      guard let samples = unsafe bare_codec_output(codec, Int32(channel)) else { return false }
      for frame in 0..<path.lastFrames
      where unsafe samples[frame] != path.lastSample(channel, frame) {
        return false
      }
    }
    return true
  }
}
