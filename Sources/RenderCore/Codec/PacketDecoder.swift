// SPDX-License-Identifier: MIT

internal import AudioModel

/// The decoder of one stream's packets in the render callback: one of those whose decoding neither allocates nor
/// locks.
///
/// Real-time: `decode` is safe; creation and destruction are not.
@safe
struct PacketDecoder: ~Copyable {
  /// The sound of a decoded packet.
  @safe
  struct Output {
    /// Interleaved, from -1 to 1; valid until the next packet is decoded.
    let samples: UnsafePointer<Float>
    /// At most the packet's own count; fewer if its sound is shorter than the container states, which is possible for
    /// the last packet.
    let frames: Int
    /// False for a packet that was replaced by silence of its length, or by the decoder's concealment.
    let isDecoded: Bool

    @_noLocks
    init(samples: UnsafePointer<Float>, frames: Int, isDecoded: Bool) {
      unsafe self.samples = samples
      self.frames = frames
      self.isDecoded = isDecoded
    }
  }

  // Behind pointers: checked code can only use a non-copyable value where it is stored.
  @safe
  private enum Codec {
    case mpegAudio(UnsafeMutablePointer<MPEGAudioDecoder>)
    case linearPCM(UnsafeMutablePointer<LinearPCMDecoder>)
    case companded(UnsafeMutablePointer<CompandedDecoder>)
    case ima4(UnsafeMutablePointer<IMA4Decoder>)
    case waveIMA(UnsafeMutablePointer<WaveIMADecoder>)
    case microsoftADPCM(UnsafeMutablePointer<MicrosoftADPCMDecoder>)
    #if DRAWBAR_FLAC
      case flac(UnsafeMutablePointer<FLACDecoder>)
    #endif
    #if DRAWBAR_OPUS
      case opus(UnsafeMutablePointer<OpusDecoder>)
    #endif
  }

  private let codec: Codec

  /// Makes the decoder of a stream, ready to run without allocation.
  ///
  /// - Parameter firstPacket: the packet that will be decoded first.
  init(
    _ stream: CodedStreamDescription, firstPacket: UnsafeRawBufferPointer
  ) throws(AudioConverterError) {
    switch stream.format.formatID {
    case .mpegLayer1, .mpegLayer2, .mpegLayer3:
      unsafe codec = .mpegAudio(
        .allocating(
          try MPEGAudioDecoder(
            channels: Int(stream.format.channelsPerFrame), firstPacket: firstPacket,
            freeFormatBytes: stream.freeFormatFrameByteCount)))
    case .linearPCM:
      unsafe codec = .linearPCM(.allocating(try LinearPCMDecoder(format: stream.format)))
    case .aLaw, .muLaw:
      unsafe codec = .companded(.allocating(try CompandedDecoder(format: stream.format)))
    case .appleIMA4:
      unsafe codec = .ima4(.allocating(try IMA4Decoder(format: stream.format)))
    case .waveIMAADPCM:
      unsafe codec = .waveIMA(.allocating(try WaveIMADecoder(format: stream.format)))
    case .microsoftADPCM:
      unsafe codec = .microsoftADPCM(.allocating(try MicrosoftADPCMDecoder(format: stream.format)))
    #if DRAWBAR_FLAC
      case .flac:
        let channels = Int(stream.format.channelsPerFrame)
        let info =
          stream.magicCookie.isEmpty
          ? unsafe try FLACStreamInformation(stream.format, firstFrame: firstPacket)
          : try FLACStreamInformation(stream.magicCookie, channels: channels)
        unsafe codec = .flac(.allocating(try FLACDecoder(info, channels: channels)))
    #endif
    #if DRAWBAR_OPUS
      case .opus:
        unsafe codec = .opus(
          .allocating(
            try OpusDecoder(
              channels: Int(stream.format.channelsPerFrame), magicCookie: stream.magicCookie)))
    #endif
    case let other: throw CallbackCodec.missing(for: other)
    }
  }

  deinit {
    switch codec {
    case .mpegAudio(let decoder): unsafe decoder.destroy()
    case .linearPCM(let decoder): unsafe decoder.destroy()
    case .companded(let decoder): unsafe decoder.destroy()
    case .ima4(let decoder): unsafe decoder.destroy()
    case .waveIMA(let decoder): unsafe decoder.destroy()
    case .microsoftADPCM(let decoder): unsafe decoder.destroy()
    #if DRAWBAR_FLAC
      case .flac(let decoder): unsafe decoder.destroy()
    #endif
    #if DRAWBAR_OPUS
      case .opus(let decoder): unsafe decoder.destroy()
    #endif
    }
  }

  /// The conversion of two channels of plain samples to the output without `decode`; the decoder must stay alive. Nil
  /// if packets have to be decoded.
  var stereoSamples: StereoSamples? {
    switch codec {
    case .linearPCM(let decoder): unsafe decoder.pointee.stereoSamples
    case .companded(let decoder): unsafe decoder.pointee.stereoSamples
    default: nil
    }
  }

  @_noLocks
  func decode(_ packet: FilledPacket) -> Output {
    switch codec {
    case .mpegAudio(let decoder): unsafe decoder.pointee.decode(packet)
    case .linearPCM(let decoder): unsafe decoder.pointee.decode(packet)
    case .companded(let decoder): unsafe decoder.pointee.decode(packet)
    case .ima4(let decoder): unsafe decoder.pointee.decode(packet)
    case .waveIMA(let decoder): unsafe decoder.pointee.decode(packet)
    case .microsoftADPCM(let decoder): unsafe decoder.pointee.decode(packet)
    #if DRAWBAR_FLAC
      case .flac(let decoder): unsafe decoder.pointee.decode(packet)
    #endif
    #if DRAWBAR_OPUS
      case .opus(let decoder): unsafe decoder.pointee.decode(packet)
    #endif
    }
  }
}
