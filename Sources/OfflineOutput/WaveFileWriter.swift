// SPDX-License-Identifier: MIT

internal import AudioModel
internal import Glibc

/// A writer of interleaved 32-bit float WAVE (format tag 3). A file that outgrows the 4 GiB of RIFF's size fields
/// becomes RF64 (EBU Tech 3306), for which the header reserves room. The header's sizes follow the file: they are
/// rewritten at least once a second of sound, and after a failed write. A pipe does not allow that, so there they are
/// the "unknown" value, and readers use the end of the data.
///
/// One thread at a time; blocks on the disk, so never for a render thread.
public struct WaveFileWriter: ~Copyable {
  /// Frames written so far. After a failure, the frames in the file.
  public private(set) var frameCount: UInt64 = 0
  private let path: String
  private let channels: Int
  private let sampleRate: Int
  private let file: OutputFile
  /// Samples that have not been written yet. WAVE is little-endian, and so must be this machine.
  private var pending: [Float] = []
  /// The first failure, or the closing of the file, after which nothing more is written.
  private var failure: WaveFileWriterError?

  /// Samples of one write: a second of sound, or fewer.
  private let flushedSamples: Int
  /// The largest size in a RIFF field.
  private let largestRIFF: UInt64
  private static let headerBytes = 12 + 8 + 28 + 8 + 18 + 8 + 4 + 8

  /// Creates or replaces the file.
  ///
  /// - Throws: ``WaveFileWriterError`` when it cannot be opened for writing.
  public init(path: String, sampleRate: Int, channels: Int) throws(WaveFileWriterError) {
    try self.init(
      path: path, sampleRate: sampleRate, channels: channels, largestRIFF: UInt64(UInt32.max))
  }

  /// Creates or replaces a file that becomes RF64 at another size than 4 GiB, for tests.
  init(
    path: String, sampleRate: Int, channels: Int, largestRIFF: UInt64
  ) throws(WaveFileWriterError) {
    do throws(OutputFile.Failure) {
      try self.init(
        OutputFile(creating: path), path: path, sampleRate: sampleRate, channels: channels,
        largestRIFF: largestRIFF)
    } catch {
      throw WaveFileWriterError(error, path: path)
    }
  }

  /// Writes to an open descriptor, such as a pipe's. Its sizes always have the "unknown" value, because other programs
  /// may also write to the descriptor.
  ///
  /// - Parameters:
  ///   - descriptor: is taken over, and closed by the writer.
  ///   - name: the name in error messages.
  ///   - sampleRate: frames per second.
  ///   - channels: samples per frame.
  /// - Throws: ``WaveFileWriterError`` when it cannot be written to.
  public init(
    descriptor: Int32, name: String, sampleRate: Int, channels: Int
  ) throws(WaveFileWriterError) {
    do throws(OutputFile.Failure) {
      try self.init(
        OutputFile(appendingTo: descriptor), path: name, sampleRate: sampleRate, channels: channels)
    } catch {
      throw WaveFileWriterError(error, path: name)
    }
  }

  private init(
    _ file: OutputFile, path: String, sampleRate: Int, channels: Int,
    largestRIFF: UInt64 = UInt64(UInt32.max)
  ) throws(OutputFile.Failure) {
    self.largestRIFF = largestRIFF
    self.path = path
    self.channels = channels
    self.sampleRate = sampleRate
    self.file = file
    flushedSamples = max(1, min(1 << 16, sampleRate * channels))
    pending.reserveCapacity(2 * flushedSamples)
    let header = header()
    unsafe try self.file.append(header.span.bytes)
  }

  /// Appends frames.
  ///
  /// - Parameter samples: whole frames, interleaved.
  /// - Throws: ``WaveFileWriterError`` when the disk is full or gone, or the file closed. The file then ends with
  ///   the last frame that was written whole; further calls throw the same.
  public mutating func write(interleaved samples: Span<Float>) throws(WaveFileWriterError) {
    precondition(samples.count % channels == 0, "frames are written whole")
    if let failure { throw failure }
    unsafe samples.withUnsafeBufferPointer { unsafe pending.append(contentsOf: $0) }
    frameCount += UInt64(samples.count / channels)
    if pending.count >= flushedSamples { try flush() }
  }

  /// Writes the remaining samples, and the sizes into the header. Does nothing after a first call or a failure.
  public mutating func close() throws(WaveFileWriterError) {
    guard failure == nil else { return }
    try flush()
    failure = WaveFileWriterError(path: path, operation: "write", code: EBADF)
    do throws(OutputFile.Failure) { try file.close() } catch {
      throw WaveFileWriterError(error, path: path)
    }
  }

  private mutating func flush() throws(WaveFileWriterError) {
    do throws(OutputFile.Failure) {
      unsafe try file.append(pending.span.bytes)
      pending.removeAll(keepingCapacity: true)
      try updateHeader()
    } catch {
      let blockBytes = UInt64(4 * channels)
      frameCount = (file.byteCount - UInt64(Self.headerBytes)) / blockBytes
      file.cut(to: UInt64(Self.headerBytes) + frameCount * blockBytes)
      try? updateHeader()
      let failure = WaveFileWriterError(error, path: path)
      self.failure = failure
      throw failure
    }
  }

  private func updateHeader() throws(OutputFile.Failure) {
    let header = header()
    unsafe try file.replace(with: header.span.bytes, at: 0)
  }

  /// Returns the header for the frames so far: RIFF or RF64, ds64 or a JUNK chunk of its size, fmt, fact and the start
  /// of data.
  private func header() -> [UInt8] {
    var bytes: [UInt8] = []
    func text(_ text: String) { bytes.append(contentsOf: text.utf8) }
    func number(_ value: UInt64, _ count: Int) {
      for i in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * i))) }
    }
    let blockBytes = UInt64(4 * channels)
    let dataBytes = frameCount * blockBytes
    let riffBytes = UInt64(Self.headerBytes - 8) + dataBytes
    let isLarge = riffBytes > largestRIFF
    text(isLarge ? "RF64" : "RIFF")
    let unknown = UInt64(UInt32.max)
    number(isLarge || !file.isSeekable ? unknown : riffBytes, 4)
    text("WAVE")
    text(isLarge ? "ds64" : "JUNK")
    number(28, 4)
    number(isLarge ? riffBytes : 0, 8)
    number(isLarge ? dataBytes : 0, 8)
    number(isLarge ? frameCount : 0, 8)
    number(0, 4)
    text("fmt ")
    number(18, 4)
    number(3, 2)
    number(UInt64(channels), 2)
    number(UInt64(sampleRate), 4)
    number(UInt64(sampleRate) * blockBytes, 4)
    number(blockBytes, 2)
    number(32, 2)
    number(0, 2)
    text("fact")
    number(4, 4)
    number(min(frameCount, UInt64(UInt32.max)), 4)
    text("data")
    number(isLarge || !file.isSeekable ? unknown : dataBytes, 4)
    return bytes
  }
}

/// The error of a WAVE file that could not be written.
public struct WaveFileWriterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file.
  public let path: String
  /// The failed operation: create, write, finish or close.
  public let operation: String
  /// The system's error number.
  public let code: Int32

  init(path: String, operation: String, code: Int32) {
    self.path = path
    self.operation = operation
    self.code = code
  }

  init(_ failure: OutputFile.Failure, path: String) {
    self.init(path: path, operation: failure.operation, code: failure.code)
  }

  /// The failed operation, the file, the reason and the remedy, in one line.
  public var description: String {
    let reason = OutputFile.Failure(operation: operation, code: code).reason
    return "cannot \(operation) \(path): \(reason)".asMessage
  }
}
