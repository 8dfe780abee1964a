// SPDX-License-Identifier: MIT

internal import AudioModel

#if DRAWBAR_FLAC
  internal import CFLAC
  internal import Glibc
  internal import RenderCore
#endif

/// A writer of 24-bit FLAC with libFLAC: samples are rounded to the nearest integer and clipped at full scale. The
/// length in the file's header is rewritten with each block, and after a failed write.
///
/// One thread at a time; encodes and blocks on the disk, so never for a render thread.
@safe
public struct FLACFileWriter: ~Copyable {
  /// Frames written so far. After a failure, the frames in the file.
  public private(set) var frameCount: UInt64 = 0
  private let path: String
  private let channels: Int

  #if DRAWBAR_FLAC
    private let library: UnsafePointer<drawbar_flac>
    private let encoder: UnsafeMutablePointer<FLAC__StreamEncoder>
    /// The file that the encoder writes to.
    private let stream: FLACOutputStream
    private var isClosed = false
    private var integers: [Int32] = []
  #endif

  /// Creates or replaces the file.
  ///
  /// - Throws: ``FLACFileWriterError`` when it cannot be opened for writing, when FLAC has no such rate or
  ///   number of channels (1 to 8), or when libFLAC is not there or the package was built without it.
  public init(path: String, sampleRate: Int, channels: Int) throws(FLACFileWriterError) {
    self.path = path
    self.channels = channels
    #if DRAWBAR_FLAC
      guard let library = unsafe FLACLibrary.functions else {
        throw FLACFileWriterError(
          path: path, operation: "create",
          reason:
            "\(FLACLibrary.file) is not installed; record WAVE, or install libFLAC of that version")
      }
      guard let encoder = unsafe library.pointee.FLAC__stream_encoder_new() else {
        throw FLACFileWriterError(path: path, operation: "create", reason: "out of memory")
      }
      guard (1...8).contains(channels), (1...655_350).contains(sampleRate) else {
        unsafe library.pointee.FLAC__stream_encoder_delete(encoder)
        throw FLACFileWriterError(
          path: path, operation: "create",
          reason: "FLAC takes 1 to 8 channels at up to 655350 Hz, not \(channels) at \(sampleRate)")
      }
      _ = unsafe library.pointee.FLAC__stream_encoder_set_channels(encoder, UInt32(channels))
      _ = unsafe library.pointee.FLAC__stream_encoder_set_bits_per_sample(encoder, 24)
      _ = unsafe library.pointee.FLAC__stream_encoder_set_sample_rate(encoder, UInt32(sampleRate))
      // Allows other rates than a subset decoder has to support.
      _ = unsafe library.pointee.FLAC__stream_encoder_set_streamable_subset(encoder, 0)
      let stream: FLACOutputStream
      do throws(OutputFile.Failure) {
        stream = try FLACOutputStream(creating: path)
      } catch {
        unsafe library.pointee.FLAC__stream_encoder_delete(encoder)
        throw FLACFileWriterError(path: path, operation: "create", reason: error.reason)
      }
      let status = unsafe stream.begin(encoder, library)
      guard status == FLAC__STREAM_ENCODER_INIT_STATUS_OK else {
        unsafe library.pointee.FLAC__stream_encoder_delete(encoder)
        throw FLACFileWriterError(
          path: path, operation: "create",
          reason: stream.failure?.reason ?? "libFLAC's status is \(status.rawValue)")
      }
      self.stream = stream
      unsafe self.library = library
      unsafe self.encoder = encoder
    #else
      throw FLACFileWriterError(
        path: path, operation: "create",
        reason: "this build has no libFLAC; record WAVE, or install libflac-dev and build again")
    #endif
  }

  deinit {
    #if DRAWBAR_FLAC
      // Without close(), the file ends with its last whole block.
      unsafe library.pointee.FLAC__stream_encoder_delete(encoder)
    #endif
  }

  /// Appends frames.
  ///
  /// - Parameter samples: whole frames, interleaved. A sample that is not finite becomes silence.
  /// - Throws: ``FLACFileWriterError`` when the disk is full or gone. The file then ends with the last block that was
  ///   written whole; further calls throw the same.
  public mutating func write(interleaved samples: Span<Float>) throws(FLACFileWriterError) {
    precondition(samples.count % channels == 0, "frames are written whole")
    #if DRAWBAR_FLAC
      integers.removeAll(keepingCapacity: true)
      for index in samples.indices { integers.append(Self.integer(samples[index])) }
      let frames = samples.count / channels
      let isWritten = unsafe integers.withUnsafeBufferPointer { buffer in
        unsafe buffer.baseAddress.map {
          unsafe library.pointee.FLAC__stream_encoder_process_interleaved(
            encoder, $0, UInt32(frames)) != 0
        } ?? true
      }
      guard isWritten else { throw failure("write") }
      frameCount += UInt64(frames)
    #endif
  }

  /// Writes the remaining frames, and the length and the checksum into the header.
  public mutating func close() throws(FLACFileWriterError) {
    #if DRAWBAR_FLAC
      guard !isClosed else { return }
      isClosed = true
      guard unsafe library.pointee.FLAC__stream_encoder_finish(encoder) != 0 else {
        throw failure("finish")
      }
      do throws(OutputFile.Failure) { try stream.close() } catch {
        throw FLACFileWriterError(path: path, operation: error.operation, reason: error.reason)
      }
    #endif
  }

  #if DRAWBAR_FLAC
    private static func integer(_ sample: Float) -> Int32 {
      guard sample.isFinite else { return 0 }
      let scaled = (Double(sample) * 8_388_608).rounded()
      return Int32(min(max(scaled, -8_388_608), 8_388_607))
    }

    private mutating func failure(_ operation: String) -> FLACFileWriterError {
      frameCount = stream.frameCount
      let state = unsafe library.pointee.FLAC__stream_encoder_get_state(encoder)
      return FLACFileWriterError(
        path: path, operation: stream.failure?.operation ?? operation,
        reason: stream.failure?.reason ?? "libFLAC's state is \(state.rawValue)")
    }
  #endif
}

/// The error of a FLAC file that could not be written.
public struct FLACFileWriterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file.
  public let path: String
  /// The failed operation: create, write or finish.
  public let operation: String
  /// The reason of the failure, and the remedy.
  public let reason: String

  /// The failed operation, the file and the reason, in one line.
  public var description: String { "cannot \(operation) \(path): \(reason)".asMessage }
}
