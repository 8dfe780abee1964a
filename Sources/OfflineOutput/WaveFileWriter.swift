// SPDX-License-Identifier: MIT

internal import AudioModel
internal import Glibc

/// Writes interleaved 32-bit float WAVE (format tag 3). A file that outgrows the 4 GiB of RIFF's size
/// fields becomes RF64 (EBU Tech 3306), for which room is kept in the header. Where the header cannot
/// be mended at the end, in a pipe, its sizes say "unknown" and readers go by the end of the data.
///
/// One thread at a time; blocks on the disk, so never for a render thread.
public struct WaveFileWriter: ~Copyable {
  /// Frames written so far.
  public private(set) var frameCount: UInt64 = 0
  private let path: String
  private let descriptor: Int32
  private let channels: Int
  private let sampleRate: Int
  /// Samples that have not been written yet. WAVE is little-endian, as this machine must be.
  private var pending: [Float] = []
  private let isSeekable: Bool
  private var isClosed = false

  private static let flushedSamples = 1 << 16
  private static let headerBytes = 12 + 8 + 28 + 8 + 18 + 8 + 4 + 8

  /// Creates or replaces the file.
  ///
  /// - Throws: ``WaveFileWriterError`` when it cannot be opened for writing.
  public init(path: String, sampleRate: Int, channels: Int) throws(WaveFileWriterError) {
    self.path = path
    self.channels = channels
    self.sampleRate = sampleRate
    descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    isSeekable = descriptor >= 0 && lseek(descriptor, 0, SEEK_CUR) >= 0
    guard descriptor >= 0 else {
      throw WaveFileWriterError(path: path, operation: "create", code: errno)
    }
    pending.reserveCapacity(2 * Self.flushedSamples)
    let header = header()
    unsafe try writeAll(header.span.bytes)
  }

  /// Writes to a descriptor that is open, such as a pipe's. Its sizes say "unknown" wherever that leads: a
  /// header in it is not this one's alone.
  ///
  /// - Parameters:
  ///   - descriptor: is taken over, and closed in the end.
  ///   - name: what failures call it.
  ///   - sampleRate: frames per second.
  ///   - channels: samples per frame.
  /// - Throws: ``WaveFileWriterError`` when it cannot be written to.
  public init(
    descriptor: Int32, name: String, sampleRate: Int, channels: Int
  ) throws(WaveFileWriterError) {
    path = name
    self.channels = channels
    self.sampleRate = sampleRate
    self.descriptor = descriptor
    isSeekable = false
    pending.reserveCapacity(2 * Self.flushedSamples)
    let header = header()
    unsafe try writeAll(header.span.bytes)
  }

  deinit {
    if !isClosed { _ = Glibc.close(descriptor) }
  }

  /// Appends frames.
  ///
  /// - Parameter samples: whole frames, the channels side by side.
  /// - Throws: ``WaveFileWriterError`` when the disk is full or gone, or the file closed.
  public mutating func write(interleaved samples: Span<Float>) throws(WaveFileWriterError) {
    precondition(samples.count % channels == 0, "frames are written whole")
    guard !isClosed else {
      throw WaveFileWriterError(path: path, operation: "write", code: EBADF)
    }
    unsafe samples.withUnsafeBufferPointer { unsafe pending.append(contentsOf: $0) }
    frameCount += UInt64(samples.count / channels)
    if pending.count >= Self.flushedSamples { try flush() }
  }

  /// Writes what is left, and the sizes into the header. Nothing is done once it has been.
  public mutating func close() throws(WaveFileWriterError) {
    guard !isClosed else { return }
    try flush()
    if isSeekable {
      let patched = header()
      let written = unsafe patched.withUnsafeBytes {
        unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0)
      }
      guard written == patched.count else {
        throw WaveFileWriterError(path: path, operation: "finish", code: errno)
      }
    }
    isClosed = true
    guard Glibc.close(descriptor) == 0 else {
      throw WaveFileWriterError(path: path, operation: "close", code: errno)
    }
  }

  private mutating func flush() throws(WaveFileWriterError) {
    unsafe try writeAll(pending.span.bytes)
    pending.removeAll(keepingCapacity: true)
  }

  private func writeAll(_ bytes: RawSpan) throws(WaveFileWriterError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        throw WaveFileWriterError(path: path, operation: "write", code: errno)
      }
      rest = rest.extracting(droppingFirst: count)
    }
  }

  /// RIFF or RF64, a place for ds64, fmt, fact and the start of data, with what is known now.
  private func header() -> [UInt8] {
    var bytes: [UInt8] = []
    func text(_ text: String) { bytes.append(contentsOf: text.utf8) }
    func number(_ value: UInt64, _ count: Int) {
      for i in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * i))) }
    }
    let blockBytes = UInt64(4 * channels)
    let dataBytes = frameCount * blockBytes
    let riffBytes = UInt64(Self.headerBytes - 8) + dataBytes
    let isLarge = riffBytes > UInt64(UInt32.max)
    text(isLarge ? "RF64" : "RIFF")
    let unknown = UInt64(UInt32.max)
    number(isLarge || !isSeekable ? unknown : riffBytes, 4)
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
    number(isLarge || !isSeekable ? unknown : dataBytes, 4)
    return bytes
  }
}

/// Why a WAVE file could not be written.
public struct WaveFileWriterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file.
  public let path: String
  /// What was tried: create, write, finish or close.
  public let operation: String
  /// The system's error number.
  public let code: Int32

  /// What happened and where, in one line.
  public var description: String {
    let reason = unsafe String(cString: strerror(code))
    return "cannot \(operation) \(path): \(reason); choose another place".asMessage
  }
}
