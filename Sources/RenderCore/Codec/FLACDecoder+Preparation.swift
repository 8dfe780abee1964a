// SPDX-License-Identifier: MIT

#if DRAWBAR_FLAC
  internal import CFLAC

  extension FLACDecoder {
    /// libFLAC's decoder, in the type that its functions take.
    typealias Handle = UnsafeMutablePointer<FLAC__StreamDecoder>

    /// Starts libFLAC, makes it allocate all memory that it can ever need, and passes it the stream's information, so
    /// that it is ready for the first packet.
    static func prepare(
      _ library: UnsafePointer<drawbar_flac>, _ handle: Handle,
      _ context: UnsafeMutablePointer<Context>, _ info: FLACStreamInformation
    ) throws(AudioConverterError) {
      let status = unsafe library.pointee.FLAC__stream_decoder_init_stream(
        handle, readFLACBytes, nil, nil, nil, nil, takeFLACFrame, nil, noteFLACError, context)
      guard status == FLAC__STREAM_DECODER_INIT_STATUS_OK else {
        throw AudioConverterError.decoderUnavailable(
          library: "libFLAC", "status \(status.rawValue)")
      }
      try unsafe begin(library, handle, context, FLACPriming.streamInfo)
      for frame in FLACPriming.frames {
        _ = unsafe process(
          handle, context, frame, library.pointee.FLAC__stream_decoder_process_single)
        _ = unsafe library.pointee.FLAC__stream_decoder_flush(handle)
      }
      guard unsafe library.pointee.FLAC__stream_decoder_reset(handle) != 0 else {
        throw AudioConverterError.decoderUnavailable(library: "libFLAC", "it cannot be reset")
      }
      try unsafe begin(library, handle, context, info.bytes)
    }

    /// Passes libFLAC the start of a file: signature, and stream information as the last block.
    private static func begin(
      _ library: UnsafePointer<drawbar_flac>, _ handle: Handle,
      _ context: UnsafeMutablePointer<Context>, _ streamInfo: [UInt8]
    ) throws(AudioConverterError) {
      let isRead = unsafe process(
        handle, context, [0x66, 0x4C, 0x61, 0x43, 0x80, 0, 0, 34] + streamInfo,
        library.pointee.FLAC__stream_decoder_process_until_end_of_metadata)
      let state = unsafe library.pointee.FLAC__stream_decoder_get_state(handle)
      guard isRead, state == FLAC__STREAM_DECODER_SEARCH_FOR_FRAME_SYNC else {
        throw AudioConverterError.magicCookieRefused(
          format: "FLAC", "libFLAC does not take the stream information")
      }
    }

    private static func process(
      _ handle: Handle, _ context: UnsafeMutablePointer<Context>, _ bytes: [UInt8],
      _ work: (Handle?) -> FLAC__bool
    ) -> Bool {
      unsafe bytes.withUnsafeBytes { raw in
        unsafe context.pointee.hand(raw.baseAddress, raw.count)
        let isDone = unsafe work(handle) != 0
        let hasFailed = unsafe context.pointee.hasFailed
        unsafe context.pointee.hand(nil, 0)
        return isDone && !hasFailed
      }
    }
  }
#endif
