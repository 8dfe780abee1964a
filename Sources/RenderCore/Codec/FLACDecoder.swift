// SPDX-License-Identifier: MIT

#if DRAWBAR_FLAC
  internal import AudioModel
  internal import CFLAC

  /// A decoder of FLAC, one frame at a time, with libFLAC, which reads through a callback that supplies exactly the
  /// current packet.
  ///
  /// Integers are divided by the power of two of their width, so every sample of up to 24 bits is
  /// exact in a float. Channels stay in the stream's order.
  ///
  /// Real-time: `decode` is safe; creation and destruction are not.
  @safe
  struct FLACDecoder: ~Copyable {
    /// The data of libFLAC's callbacks. Lives at a fixed address, known to libFLAC.
    @unsafe struct Context {
      var bytes: UnsafeRawPointer?
      var remaining = 0
      /// libFLAC has met something that is not a frame, or not a frame of this stream.
      var hasFailed = false
      /// Frames of sound decoded from the packet.
      var frames = 0
      var channels = 0
      var sampleRate = 0
      /// Frames that `samples` has room for.
      var capacity = 0
      /// The buffer for the packet's sound, interleaved.
      var samples: UnsafeMutablePointer<Float>

      /// Makes these the bytes that libFLAC reads next.
      @_noLocks
      mutating func hand(_ bytes: UnsafeRawPointer?, _ count: Int) {
        unsafe self.bytes = unsafe bytes
        unsafe remaining = count
        unsafe hasFailed = false
        unsafe frames = 0
      }
    }

    /// Most bytes that libFLAC receives at once. After an error it may search those bytes for another frame, and
    /// receives no more, so this bounds the time that a damaged packet takes.
    static var maximumBytesPerRead: Int { @_noLocks get { 1024 } }

    private let library: UnsafePointer<drawbar_flac>
    private let handle: Handle
    private let context: UnsafeMutablePointer<Context>

    /// Makes a decoder that has allocated all memory that it will ever need.
    ///
    /// - Throws: ``AudioConverterError/libraryNotInstalled(format:file:)`` if libFLAC is missing,
    ///   ``AudioConverterError/decoderUnavailable(library:_:)`` if it has no memory.
    init(_ info: FLACStreamInformation, channels: Int) throws(AudioConverterError) {
      guard let library = unsafe FLACLibrary.functions else {
        throw CallbackCodec.missing(for: .flac)
      }
      guard let handle = unsafe library.pointee.FLAC__stream_decoder_new() else {
        throw AudioConverterError.decoderUnavailable(library: "libFLAC", "no memory")
      }
      let samples = UnsafeMutablePointer<Float>.allocate(
        capacity: info.maximumBlockSize * channels)
      unsafe samples.initialize(repeating: 0, count: info.maximumBlockSize * channels)
      let context = UnsafeMutablePointer<Context>.allocate(capacity: 1)
      unsafe context.initialize(to: Context(samples: samples))
      do throws(AudioConverterError) {
        try unsafe Self.prepare(library, handle, context, info)
      } catch {
        unsafe library.pointee.FLAC__stream_decoder_delete(handle)
        unsafe samples.deallocate()
        unsafe context.deallocate()
        throw error
      }
      unsafe context.pointee.channels = channels
      unsafe context.pointee.sampleRate = info.sampleRate
      unsafe context.pointee.capacity = info.maximumBlockSize
      unsafe self.library = library
      unsafe self.handle = handle
      unsafe self.context = context
    }

    deinit {
      unsafe library.pointee.FLAC__stream_decoder_delete(handle)
      unsafe context.pointee.samples.deallocate()
      unsafe context.deallocate()
    }

    /// Decodes one packet. If it is damaged or not of this stream, returns silence of its length, so that the time line
    /// does not shift.
    @_noLocks
    func decode(_ packet: FilledPacket) -> PacketDecoder.Output {
      unsafe context.pointee.hand(packet.bytes, packet.byteCount)
      _ = unsafe drawbar_flac_flush(library, handle)
      _ = unsafe drawbar_flac_process_single(library, handle)
      let decoded = unsafe context.pointee.frames
      let isDecoded = unsafe decoded > 0 && !context.pointee.hasFailed
      let room = unsafe isDecoded ? decoded : context.pointee.capacity
      let frames = max(0, min(packet.frameCount, room))
      let samples = unsafe context.pointee.samples
      if !isDecoded {
        unsafe samples.update(repeating: 0, count: frames * context.pointee.channels)
      }
      return unsafe PacketDecoder.Output(
        samples: UnsafePointer(samples), frames: frames, isDecoded: isDecoded)
    }
  }

  /// libFLAC's read callback. Runs on the render thread.
  @_noLocks
  func readFLACBytes(
    _ decoder: UnsafePointer<FLAC__StreamDecoder>?, _ target: UnsafeMutablePointer<FLAC__byte>?,
    _ count: UnsafeMutablePointer<Int>?, _ context: UnsafeMutableRawPointer?
  ) -> FLAC__StreamDecoderReadStatus {
    guard let context = unsafe context, let target = unsafe target, let count = unsafe count else {
      return FLAC__STREAM_DECODER_READ_STATUS_ABORT
    }
    let reader = unsafe context.assumingMemoryBound(to: FLACDecoder.Context.self)
    guard let bytes = unsafe reader.pointee.bytes, unsafe reader.pointee.remaining > 0,
      unsafe !reader.pointee.hasFailed
    else {
      unsafe count.pointee = 0
      return FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM
    }
    let taken = unsafe min(
      min(count.pointee, reader.pointee.remaining), FLACDecoder.maximumBytesPerRead)
    unsafe UnsafeMutableRawPointer(target).copyMemory(from: bytes, byteCount: taken)
    unsafe reader.pointee.bytes = bytes + taken
    unsafe reader.pointee.remaining -= taken
    unsafe count.pointee = taken
    return FLAC__STREAM_DECODER_READ_STATUS_CONTINUE
  }

  /// libFLAC's write callback: a whole frame. Runs on the render thread.
  @_noLocks
  func takeFLACFrame(
    _ decoder: UnsafePointer<FLAC__StreamDecoder>?, _ frame: UnsafePointer<FLAC__Frame>?,
    _ channels: UnsafePointer<UnsafePointer<FLAC__int32>?>?, _ context: UnsafeMutableRawPointer?
  ) -> FLAC__StreamDecoderWriteStatus {
    guard let context = unsafe context, let frame = unsafe frame, let channels = unsafe channels
    else { return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT }
    let target = unsafe context.assumingMemoryBound(to: FLACDecoder.Context.self)
    let count = unsafe target.pointee.channels
    let frames = unsafe Int(frame.pointee.header.blocksize)
    let bits = unsafe frame.pointee.header.bits_per_sample
    guard unsafe Int(frame.pointee.header.channels) == count,
      unsafe Int(frame.pointee.header.sample_rate) == target.pointee.sampleRate,
      unsafe frames <= target.pointee.capacity, bits >= 1, bits <= 32
    else {
      unsafe target.pointee.hasFailed = true
      return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE
    }
    let scale = 1 / Float(UInt32(1) << (bits - 1))
    let samples = unsafe target.pointee.samples
    for channel in 0..<count {
      guard let source = unsafe channels[channel] else { continue }
      for index in 0..<frames {
        unsafe samples[index &* count &+ channel] = Float(source[index]) * scale
      }
    }
    unsafe target.pointee.frames = frames
    return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE
  }

  /// libFLAC's error callback. Runs on the render thread.
  @_noLocks
  func noteFLACError(
    _ decoder: UnsafePointer<FLAC__StreamDecoder>?, _ status: FLAC__StreamDecoderErrorStatus,
    _ context: UnsafeMutableRawPointer?
  ) {
    guard let context = unsafe context else { return }
    unsafe context.assumingMemoryBound(to: FLACDecoder.Context.self).pointee.hasFailed = true
  }
#endif
