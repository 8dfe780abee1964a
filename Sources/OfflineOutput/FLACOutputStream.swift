// SPDX-License-Identifier: MIT

#if DRAWBAR_FLAC
  internal import CFLAC
  internal import Glibc
  internal import RenderCore

  /// The file that a FLAC encoder writes to. libFLAC writes the length into the header only at the end; this class
  /// does so with each block, and when a write fails.
  ///
  /// For the encoder's thread.
  @safe
  final class FLACOutputStream {
    /// Frames of the blocks in the file.
    private(set) var frameCount: UInt64 = 0
    /// The first failure, after which nothing more is written.
    private(set) var failure: OutputFile.Failure?
    private let file: OutputFile
    /// The offset of libFLAC's next write: the end of the file, or, when it finishes, an offset in the header.
    private var offset: UInt64 = 0

    init(creating path: String) throws(OutputFile.Failure) {
      file = try OutputFile(creating: path)
    }

    /// Makes the encoder write to this file. This object has to live as long as the encoder.
    func begin(
      _ encoder: UnsafeMutablePointer<FLAC__StreamEncoder>, _ library: UnsafePointer<drawbar_flac>
    ) -> FLAC__StreamEncoderInitStatus {
      // Without a seek callback, libFLAC does not rewrite the header.
      unsafe library.pointee.FLAC__stream_encoder_init_stream(
        encoder, flacWrite, file.isSeekable ? flacSeek : nil, file.isSeekable ? flacTell : nil,
        nil, Unmanaged.passUnretained(self).toOpaque())
    }

    func close() throws(OutputFile.Failure) { try file.close() }

    /// Writes a block of `frames` frames or, if `frames` is 0, a part of the header.
    fileprivate func write(_ bytes: RawSpan, frames: Int) -> Bool {
      guard failure == nil else { return false }
      let end = file.byteCount
      do throws(OutputFile.Failure) {
        if offset < end {
          try file.replace(with: bytes, at: offset)
        } else {
          try file.append(bytes)
        }
        offset += UInt64(bytes.byteCount)
        frameCount += UInt64(frames)
        if frames > 0 { try updateLength() }
        return true
      } catch {
        failure = error
        file.cut(to: end)
        try? updateLength()
        return false
      }
    }

    fileprivate func seek(to offset: UInt64) { self.offset = offset }
    fileprivate var position: UInt64 { offset }

    /// Writes the number of frames into STREAMINFO: its last 36 bits before the checksum, behind the low 4 bits
    /// of the sample size (RFC 9639, 8.2).
    private func updateLength() throws(OutputFile.Failure) {
      let lowSampleSize: UInt64 = (24 - 1) & 0xF
      // 0 means "unknown": the number does not fit in 36 bits.
      let length = frameCount < 1 << 36 ? frameCount : 0
      let field = (lowSampleSize << 36 | length).bigEndian
      let bytes = unsafe withUnsafeBytes(of: field) { unsafe Array($0.suffix(5)) }
      unsafe try file.replace(with: bytes.span.bytes, at: 21)
    }
  }

  private func stream(_ data: UnsafeMutableRawPointer?) -> FLACOutputStream? {
    unsafe data.map { unsafe Unmanaged<FLACOutputStream>.fromOpaque($0).takeUnretainedValue() }
  }

  private func flacWrite(
    _: UnsafePointer<FLAC__StreamEncoder>?, _ bytes: UnsafePointer<FLAC__byte>?, _ count: Int,
    _ frames: UInt32, _: UInt32, _ data: UnsafeMutableRawPointer?
  ) -> FLAC__StreamEncoderWriteStatus {
    let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
    let isWritten = unsafe stream(data)?.write(buffer.bytes, frames: Int(frames)) ?? false
    return isWritten
      ? FLAC__STREAM_ENCODER_WRITE_STATUS_OK : FLAC__STREAM_ENCODER_WRITE_STATUS_FATAL_ERROR
  }

  private func flacSeek(
    _: UnsafePointer<FLAC__StreamEncoder>?, _ offset: FLAC__uint64,
    _ data: UnsafeMutableRawPointer?
  ) -> FLAC__StreamEncoderSeekStatus {
    unsafe stream(data)?.seek(to: offset)
    return FLAC__STREAM_ENCODER_SEEK_STATUS_OK
  }

  private func flacTell(
    _: UnsafePointer<FLAC__StreamEncoder>?, _ offset: UnsafeMutablePointer<FLAC__uint64>?,
    _ data: UnsafeMutableRawPointer?
  ) -> FLAC__StreamEncoderTellStatus {
    unsafe offset?.pointee = unsafe stream(data)?.position ?? 0
    return FLAC__STREAM_ENCODER_TELL_STATUS_OK
  }
#endif
