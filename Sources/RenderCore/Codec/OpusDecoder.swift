// SPDX-License-Identifier: MIT

#if DRAWBAR_OPUS
  internal import AudioModel
  internal import COpus

  /// A decoder of Opus packets with libopus, at 48 kHz, with the header's gain. Channels stay in the stream's order;
  /// the encoder's pre-skip is not removed here.
  ///
  /// Real-time: `decode` is safe; creation and destruction are not.
  @safe
  struct OpusDecoder: ~Copyable {
    /// Most frames of a packet: 120 ms (RFC 6716 section 3.2.5).
    static var maximumFramesPerPacket: Int { @_noLocks get { 5760 } }
    /// Frames of one step of concealment, 2.5 ms.
    private static var concealmentStep: Int { @_noLocks get { 120 } }

    private let library: UnsafePointer<drawbar_opus>
    private let handle: OpaquePointer
    /// Whether there is one stream with its own channel order, which libopus need not copy again.
    private let isSingle: Bool
    private let samples: UnsafeMutablePointer<Float>
    private let channels: Int
    /// The last stated duration that a packet really had.
    private var usualFrames = 0

    /// - Throws: ``AudioConverterError/magicCookieRefused(format:_:)`` for a cookie that is not the
    ///   identification header of a stream with `channels` channels,
    ///   ``AudioConverterError/formatNotSupported(_:)`` for ambisonics,
    ///   ``AudioConverterError/libraryNotInstalled(format:file:)`` if libopus is missing,
    ///   ``AudioConverterError/decoderUnavailable(library:_:)`` if it does not start.
    init(channels: Int, magicCookie: [UInt8]) throws(AudioConverterError) {
      let header = try OpusHeader(magicCookie, channels: channels)
      guard let library = unsafe OpusLibrary.functions else {
        throw CallbackCodec.missing(for: .opus)
      }
      let isSingle =
        header.streams == 1 && header.mapping.elementsEqual((0..<channels).map(UInt8.init))
      var code: Int32 = 0
      let created =
        isSingle
        ? unsafe library.pointee.opus_decoder_create(48_000, Int32(channels), &code)
        : unsafe library.pointee.opus_multistream_decoder_create(
          48_000, Int32(channels), Int32(header.streams), Int32(header.coupledStreams),
          header.mapping, &code)
      guard let handle = unsafe created else { throw unsafe Self.unavailable(library, code) }
      code =
        isSingle
        ? unsafe drawbar_opus_set_single_gain(library, handle, Int32(header.gain))
        : unsafe drawbar_opus_set_gain(library, handle, Int32(header.gain))
      guard code == OPUS_OK else {
        unsafe Self.destroy(library, handle, isSingle: isSingle)
        throw unsafe Self.unavailable(library, code)
      }
      unsafe self.library = library
      unsafe self.handle = handle
      self.isSingle = isSingle
      self.channels = channels
      let count = Self.maximumFramesPerPacket * channels
      unsafe samples = UnsafeMutablePointer<Float>.allocate(capacity: count)
      unsafe samples.initialize(repeating: 0, count: count)
    }

    deinit {
      unsafe Self.destroy(library, handle, isSingle: isSingle)
      unsafe samples.deallocate()
    }

    private static func destroy(
      _ library: UnsafePointer<drawbar_opus>, _ handle: OpaquePointer, isSingle: Bool
    ) {
      if isSingle {
        unsafe library.pointee.opus_decoder_destroy(handle)
      } else {
        unsafe library.pointee.opus_multistream_decoder_destroy(handle)
      }
    }

    private static func unavailable(
      _ library: UnsafePointer<drawbar_opus>, _ code: Int32
    ) -> AudioConverterError {
      let text = unsafe library.pointee.opus_strerror(code).map { unsafe String(cString: $0) }
      return .decoderUnavailable(library: "libopus", text ?? "error \(code)")
    }

    /// Decodes one packet. A damaged one is concealed over its length, so that the time line does not shift. A packet
    /// whose sound is shorter than that of earlier packets with the same stated duration counts as damaged.
    @_noLocks
    mutating func decode(_ packet: FilledPacket) -> PacketDecoder.Output {
      let wanted = max(0, min(packet.frameCount, Self.maximumFramesPerPacket))
      // Without bytes, libopus would conceal as many frames as there is room for.
      if packet.byteCount > 0 {
        let decoded = unsafe decode(
          packet.bytes.assumingMemoryBound(to: UInt8.self), Int32(clamping: packet.byteCount),
          room: Int32(Self.maximumFramesPerPacket))
        let isShort = Int(decoded) + Self.concealmentStep <= wanted
        if decoded > 0, !isShort || wanted != usualFrames {
          if !isShort { usualFrames = wanted }
          return unsafe PacketDecoder.Output(
            samples: UnsafePointer(samples), frames: min(Int(decoded), wanted), isDecoded: true)
        }
      }
      let concealed = conceal(wanted)
      unsafe (samples + concealed * channels).update(
        repeating: 0, count: (wanted - concealed) * channels)
      return unsafe PacketDecoder.Output(
        samples: UnsafePointer(samples), frames: wanted, isDecoded: false)
    }

    /// - Returns: frames that libopus concealed, at most `wanted`.
    @_noLocks
    private func conceal(_ wanted: Int) -> Int {
      let steps = (wanted + Self.concealmentStep - 1) / Self.concealmentStep
      guard steps > 0 else { return 0 }
      let made = unsafe decode(nil, 0, room: Int32(steps * Self.concealmentStep))
      return max(0, min(Int(made), wanted))
    }

    /// - Parameter bytes: nil to conceal.
    @_noLocks
    private func decode(_ bytes: UnsafePointer<UInt8>?, _ count: Int32, room: Int32) -> Int32 {
      isSingle
        ? unsafe drawbar_opus_decode(library, handle, bytes, count, samples, room)
        : unsafe drawbar_opus_multistream_decode(library, handle, bytes, count, samples, room)
    }
  }
#endif
