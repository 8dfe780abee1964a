// SPDX-License-Identifier: MIT

#if DRAWBAR_AVCODEC
  import AudioModel
  import CAVCodec
  import Glibc

  /// One of libavcodec's audio decoders: packets in, frames of any sample format out. It trims nothing. One
  /// thread at a time; it allocates and locks: never on the render thread.
  @safe
  final class LibavcodecDecoder {
    /// The result of a call to receive.
    enum Reception {
      case frame
      /// All frames of the packets sent so far were received.
      case nothing
      case failure
    }

    /// The most channels and the highest rate that are accepted as valid.
    static let channelRange = 1...255
    static let rateRange = 1...3_000_000

    private let library: drawbar_avcodec
    private var context: UnsafeMutablePointer<AVCodecContext>?
    private var packet: UnsafeMutablePointer<AVPacket>?
    private var frame: UnsafeMutablePointer<AVFrame>?
    /// The mask of the last frame that stated its speakers by a mask, and the layout made of it.
    private var lastLayout: (mask: UInt64, layout: AudioChannelLayout?)?

    /// Whether the library has a decoder for a format.
    static func isAvailable(for format: AudioFormatID) -> Bool {
      // A format that is never decoded does not load the library.
      guard !AheadCodec.decoderNames(for: format).isEmpty,
        let library = Libavcodec.functions
      else { return false }
      return unsafe find(format, library) != nil
    }

    /// Starts a decoder. The stream's rate and channels are known to be valid.
    init(_ stream: CodedStreamDescription, _ extradata: DecoderExtradata) throws(AheadDecoderError)
    {
      let name = stream.format.formatID.name
      guard let library = Libavcodec.functions else {
        throw AheadDecoderError.libraryNotInstalled(format: name, file: Libavcodec.file)
      }
      guard let codec = unsafe Self.find(stream.format.formatID, library) else {
        throw AheadDecoderError.formatNotSupported(name)
      }
      self.library = library
      unsafe context = library.avcodec_alloc_context3(codec)
      unsafe packet = library.av_packet_alloc()
      unsafe frame = library.av_frame_alloc()
      guard let context = unsafe context, unsafe packet != nil, unsafe frame != nil,
        unsafe set(extradata.bytes, context)
      else {
        throw AheadDecoderError.decoderRefused(format: name, "there is no memory")
      }
      unsafe configure(context, stream)
      let result = unsafe library.avcodec_open2(context, codec, nil)
      guard result >= 0 else {
        throw extradata.bytes.isEmpty
          ? .decoderRefused(format: name, message(result))
          : .cookieRefused(format: name, message(result))
      }
    }

    deinit {
      unsafe library.avcodec_free_context(&context)
      unsafe library.av_packet_free(&packet)
      unsafe library.av_frame_free(&frame)
    }

    /// Sends a packet to the decoder, a whole one and not an empty one, after all frames of the last were
    /// received; returns false if the decoder refuses it.
    func send(_ bytes: Span<UInt8>) -> Bool {
      guard let context = unsafe context, let packet = unsafe packet, bytes.count > 0,
        let size = Int32(exactly: bytes.count)
      else { return false }
      return unsafe bytes.withUnsafeBufferPointer { source in
        // The bytes have no owner that the library knows, so it makes a copy, and only reads them.
        unsafe packet.pointee.data = UnsafeMutablePointer(mutating: source.baseAddress)
        unsafe packet.pointee.size = size
        let result = unsafe library.avcodec_send_packet(context, packet)
        unsafe packet.pointee.data = nil
        unsafe packet.pointee.size = 0
        return result == 0
      }
    }

    /// Receives the next frame, which is valid until the next call.
    func receive() -> Reception {
      guard let context = unsafe context, let frame = unsafe frame else { return .failure }
      let result = unsafe library.avcodec_receive_frame(context, frame)
      if result == 0 { return .frame }
      return result == -EAGAIN ? .nothing : .failure
    }

    /// The received frame's rate and channels; nil if they make no sense.
    var received: (sampleRate: Int, channels: Int, layout: AudioChannelLayout?)? {
      guard let frame = unsafe frame else { return nil }
      let rate = unsafe Int(frame.pointee.sample_rate)
      let channels = unsafe Int(frame.pointee.ch_layout.nb_channels)
      guard Self.rateRange.contains(rate), Self.channelRange.contains(channels) else { return nil }
      return (rate, channels, receivedLayout)
    }

    private var receivedLayout: AudioChannelLayout? {
      guard let frame = unsafe frame else { return nil }
      let isMask = unsafe frame.pointee.ch_layout.order == AV_CHANNEL_ORDER_NATIVE
      let mask = unsafe frame.pointee.ch_layout.u.mask
      if isMask, let lastLayout, lastLayout.mask == mask { return lastLayout.layout }
      let layout = unsafe AudioChannelLayout(&frame.pointee.ch_layout, library)
      if isMask { lastLayout = (mask, layout) }
      return layout
    }

    /// Whether the received frame is its packet's content, and not the decoder's guess at it.
    var isReceivedWhole: Bool {
      guard let frame = unsafe frame else { return false }
      return unsafe frame.pointee.decode_error_flags == 0
    }

    /// Appends the received frame's samples, as far as there is room; returns false if their format is unknown.
    func append(to buffer: inout SampleBuffer) -> Bool {
      guard let frame = unsafe frame, let planes = unsafe frame.pointee.extended_data else {
        return false
      }
      let format = unsafe AVSampleFormat(frame.pointee.format)
      let encoding: SampleBuffer.Encoding
      switch format {
      case AV_SAMPLE_FMT_U8, AV_SAMPLE_FMT_U8P: encoding = .unsigned8
      case AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S16P: encoding = .signed16
      case AV_SAMPLE_FMT_S32, AV_SAMPLE_FMT_S32P: encoding = .signed32
      case AV_SAMPLE_FMT_FLT, AV_SAMPLE_FMT_FLTP: encoding = .float
      case AV_SAMPLE_FMT_DBL, AV_SAMPLE_FMT_DBLP: encoding = .double
      default: return false
      }
      unsafe buffer.append(
        Int(frame.pointee.nb_samples), encoding,
        isPlanar: library.av_sample_fmt_is_planar(format) == 1, planes: planes)
      return true
    }

    /// The speakers that the decoder expects before its first packet; nil if it does not know.
    var expectedLayout: AudioChannelLayout? {
      guard let context = unsafe context else { return nil }
      return unsafe AudioChannelLayout(&context.pointee.ch_layout, library)
    }

    /// Forgets the packets so far.
    func reset() {
      guard let context = unsafe context else { return }
      unsafe library.avcodec_flush_buffers(context)
    }

    private static func find(
      _ format: AudioFormatID, _ library: drawbar_avcodec
    ) -> UnsafePointer<AVCodec>? {
      for name in AheadCodec.decoderNames(for: format) {
        if let codec = unsafe library.avcodec_find_decoder_by_name(name) { return unsafe codec }
      }
      return nil
    }

    private func set(
      _ extradata: [UInt8], _ context: UnsafeMutablePointer<AVCodecContext>
    ) -> Bool {
      guard !extradata.isEmpty else { return true }
      // The context frees it. Decoders read past its end, into zeroes.
      let byteCount = extradata.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)
      guard let memory = unsafe library.av_mallocz(byteCount) else { return false }
      unsafe memory.copyMemory(from: extradata, byteCount: extradata.count)
      unsafe context.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
      unsafe context.pointee.extradata_size = Int32(extradata.count)
      return true
    }

    private func configure(
      _ context: UnsafeMutablePointer<AVCodecContext>, _ stream: CodedStreamDescription
    ) {
      unsafe context.pointee.thread_count = 1
      // The container states the trims; a decoder that trimmed as well would trim twice.
      unsafe context.pointee.flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL
      // libopus rounds to 16 bits unless floats are requested; the request is harmless for the others.
      unsafe context.pointee.request_sample_fmt = AV_SAMPLE_FMT_FLT
      unsafe context.pointee.max_samples = Int64(AheadDecoder.maximumFrames)
      unsafe context.pointee.sample_rate = Int32(stream.format.sampleRate)
      // The decoder has to find the speakers, if the stream states them.
      unsafe context.pointee.ch_layout.order = AV_CHANNEL_ORDER_UNSPEC
      unsafe context.pointee.ch_layout.nb_channels = Int32(stream.format.channelsPerFrame)
      switch stream.format.formatID {
      case .flac: unsafe context.pointee.err_recognition = AV_EF_CRCCHECK | AV_EF_EXPLODE
      case .ac3, .enhancedAC3:
        // A packet with a wrong checksum is concealed by the last one.
        unsafe context.pointee.err_recognition = AV_EF_CRCCHECK
        // A packet's own bytes seed its dither, so that it sounds alike wherever decoding began. A library
        // without the option seeds it once, which the standard allows as well.
        _ = unsafe library.av_opt_set_int(context, "cons_noisegen", 1, AV_OPT_SEARCH_CHILDREN)
      default: break
      }
    }

    private func message(_ code: Int32) -> String {
      var text = [CChar](repeating: 0, count: Int(AV_ERROR_MAX_STRING_SIZE))
      _ = unsafe library.av_strerror(code, &text, text.count)
      return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  extension AudioChannelLayout {
    /// Creates a layout from libavcodec's; nil if that states only the number of channels.
    fileprivate init?(_ layout: UnsafePointer<AVChannelLayout>, _ library: drawbar_avcodec) {
      let order = unsafe layout.pointee.order
      guard order == AV_CHANNEL_ORDER_NATIVE || order == AV_CHANNEL_ORDER_CUSTOM else { return nil }
      let count = unsafe layout.pointee.nb_channels
      guard LibavcodecDecoder.channelRange.contains(Int(count)) else { return nil }
      self.init(
        labels: (0..<UInt32(count)).map { index in
          let channel = unsafe library.av_channel_layout_channel_from_index(layout, index).rawValue
          // The first 18 are WAVE's, and so are the first 18 labels.
          return (0..<18).contains(channel) ? UInt32(channel) + 1 : UInt32.max
        })
    }
  }
#else
  import AudioModel

  /// The stand-in in a package built without libavcodec: none can be created, so that no method is ever called.
  final class LibavcodecDecoder {
    enum Reception {
      case frame
      case nothing
      case failure
    }

    static let channelRange = 1...255
    static let rateRange = 1...3_000_000

    static func isAvailable(for format: AudioFormatID) -> Bool { false }

    init(_ stream: CodedStreamDescription, _ extradata: DecoderExtradata) throws(AheadDecoderError)
    {
      throw AheadDecoderError.libraryMissing(format: stream.format.formatID.name)
    }

    var received: (sampleRate: Int, channels: Int, layout: AudioChannelLayout?)? { nil }
    var isReceivedWhole: Bool { false }
    var expectedLayout: AudioChannelLayout? { nil }
    func send(_ bytes: Span<UInt8>) -> Bool { false }
    func receive() -> Reception { .failure }
    func append(to buffer: inout SampleBuffer) -> Bool { false }
    func reset() {}
  }
#endif
