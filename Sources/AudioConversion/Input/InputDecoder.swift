// SPDX-License-Identifier: MIT

internal import AudioModel
internal import PacketDecoders
internal import RenderCore

/// Decodes the packets of a compressed stream. One thread at a time.
protocol InputDecoder: AnyObject {
  /// The rate and the channels of the output.
  var sampleRate: Double { get }
  var channels: Int { get }
  /// The speakers of the output; nil if unknown.
  var layout: AudioChannelLayout? { get }

  /// Decodes one packet, or a run of packets of one frame each, into `output`, whose frames must be
  /// used up.
  ///
  /// - Parameter frameCount: frames that the packet stands for; nil if unknown, for the number that the decoder
  ///   delivers.
  /// - Returns: false if silence, or nothing, replaces a packet that could not be decoded.
  /// - Throws: when there is no decoder for the stream after all.
  func decode(
    _ packet: UnsafeRawBufferPointer, frameCount: Int?, into output: inout DecodedFrames
  ) throws(AudioConversionError) -> Bool

  /// Forgets the packets before.
  func reset()
}

/// A decoder of the render callback.
final class CallbackInputDecoder: InputDecoder {
  /// More frames than a packet has: these decoders deliver no more than there are.
  private static let framesOfAnyPacket = 1 << 16

  private let stream: CodedStreamDescription
  /// Created with the first packet, with which libmpg123 is set up, and again after a reset.
  private var decoder: OfflinePacketDecoder?

  var sampleRate: Double { stream.format.sampleRate }
  var channels: Int { Int(stream.format.channelsPerFrame) }
  var layout: AudioChannelLayout? { stream.layout }
  private var isMPEGAudio: Bool { stream.format.formatID.isMPEGAudio }

  /// - Throws: when this build does not decode the format, or the decoder refuses its magic cookie.
  init(_ stream: CodedStreamDescription) throws(AudioConverterError) {
    self.stream = stream
    if stream.format.formatID.isMPEGAudio { return }
    do throws(AudioConverterError) {
      decoder = unsafe try OfflinePacketDecoder(
        stream, firstPacket: UnsafeRawBufferPointer(start: nil, count: 0))
    } catch {
      // The cookie may be set later, or the first packet may contain its facts.
      guard stream.magicCookie.isEmpty, case .magicCookieRefused = error else { throw error }
    }
  }

  func decode(
    _ packet: UnsafeRawBufferPointer, frameCount: Int?, into output: inout DecodedFrames
  ) throws(AudioConversionError) -> Bool {
    do throws(AudioConverterError) {
      if decoder == nil {
        decoder = unsafe try OfflinePacketDecoder(stream, firstPacket: packet)
      }
      guard let decoder,
        let (samples, frames, isDecoded) = unsafe decoder.decode(
          packet, frameCount: frameCount ?? Self.framesOfAnyPacket)
      else { return silence(frameCount ?? 0, into: &output) }
      // An MPEG audio packet yields exactly its frames, even if it cannot be decoded.
      let wanted = isMPEGAudio ? frameCount ?? frames : frames
      let count = min(frames, wanted) * channels
      unsafe output.replace(frames: wanted) { target in
        for i in 0..<count { unsafe target[i] = Double(samples[i]) }
        for i in count..<wanted * channels { unsafe target[i] = 0 }
      }
      return isDecoded
    } catch {
      guard isMPEGAudio, case .decoderRefusedFirstPacket = error else {
        throw AudioConversionError(error)
      }
      return silence(frameCount ?? 0, into: &output)
    }
  }

  func reset() {
    decoder = nil
  }

  private func silence(_ frames: Int, into output: inout DecodedFrames) -> Bool {
    let count = frames * channels
    unsafe output.replace(frames: frames) { target in
      unsafe target.update(repeating: 0, count: count)
    }
    return false
  }
}
