// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

@testable import ByteSources

/// Tests of process limits, each of which runs in its own process.
@Suite("A spool without room")
struct SpoolLimitsTests {
  private static func limitFiles(toBytes count: UInt) {
    var limit = rlimit(rlim_cur: count, rlim_max: .max)
    #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
  }

  @Test("if no file can be created, the source is still read, and the reason is reported")
  func unwritable() throws {
    let directory = TemporaryDirectory()
    let source = SpooledByteSource(
      SyntheticSource(SyntheticSource.Manner(isRepositionable: false)),
      directoryPath: directory.file("file", [1]), maximumBytes: 1 << 20)
    #expect(source.spoolState == .active)
    #expect(source.readAll().bytes == Pattern.body(1_000_000))
    #expect(source.spoolState == .stopped(errno: ENOTDIR))
    #expect(source.spooledByteRanges.isEmpty && !source.information.isRepositionable)
    #expect(directory.names == ["file"])
  }

  @Test("if a write fails, kept bytes are removed, the source reads on, and seeks make requests")
  func writeFails() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      let directory = TemporaryDirectory()
      let plain = SyntheticSource()
      let source = SpooledByteSource(
        plain, directoryPath: directory.path, maximumBytes: 64 << 20)
      _ = try source.read(10_000)
      #expect(source.spooledByteRanges == [0..<10_000])
      // The limit lies within a block that was granted to the file.
      SpoolLimitsTests.limitFiles(toBytes: 20_000)
      var bytes = Pattern.bytes(0, 10_000)
      bytes += source.readAll().bytes
      #expect(bytes == Pattern.body(1_000_000))
      #expect(source.spoolState == .stopped(errno: EFBIG))
      #expect(directory.names.isEmpty)
      try source.reposition(to: 5)
      #expect(try source.read(10).bytes == Pattern.bytes(5, 10))
      #expect(plain.repositions == [5])
    }
  }

  @Test("a limit on file sizes is obeyed by dropping older bytes")
  func fileSizeLimit() async {
    await #expect(processExitsWith: .success) {
      let directory = TemporaryDirectory()
      SpoolLimitsTests.limitFiles(toBytes: 200_000)
      let source = SpooledByteSource(
        SyntheticSource(), directoryPath: directory.path, maximumBytes: 64 << 20)
      #expect(source.readAll().bytes == Pattern.body(1_000_000))
      #expect(source.spoolState == .active)
      let kept = source.spooledByteRanges
      #expect(kept.count == 1 && kept.first?.upperBound == 1_000_000)
      #expect((100_000...200_000).contains(kept.first?.count ?? 0))
    }
  }

  @Test("a file that another process truncates is given up, and its bytes are requested again")
  func truncated() throws {
    let directory = TemporaryDirectory()
    let plain = SyntheticSource()
    let source = SpooledByteSource(plain, directoryPath: directory.path, maximumBytes: 4 << 20)
    _ = try source.read(60_000)
    let name = try #require(directory.names.first)
    #expect(unsafe truncate("\(directory.path)/\(name)", 0) == 0)
    try source.reposition(to: 7)
    #expect(try source.read(100).bytes == Pattern.bytes(7, 100))
    #expect(plain.repositions == [7])
    #expect(source.spoolState == .stopped(errno: EIO))
    #expect(directory.names.isEmpty)
  }

  @Test("an endless gigabyte uses no more memory and disk than the limit allows")
  func endless() async {
    await #expect(processExitsWith: .success) {
      let directory = TemporaryDirectory()
      let maximumBytes: UInt64 = 8 << 20
      let source = SpooledByteSource(
        SyntheticSource(
          SyntheticSource.Manner(byteCount: nil, isRepositionable: false, isFast: true)),
        directoryPath: directory.path, maximumBytes: maximumBytes)
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
      defer { unsafe buffer.deallocate() }
      func read(_ byteCount: UInt64) throws {
        var left = byteCount
        while left > 0 {
          guard case .bytes(let count) = unsafe try source.read(into: buffer, timeoutNanoseconds: 0)
          else { break }
          left -= UInt64(count)
        }
      }
      try read(32 << 20)
      let before = SpoolLimitsTests.residentBytes()
      try read(1 << 30)
      // A sanitizer keeps freed memory for a while.
      #expect(SpoolLimitsTests.residentBytes() < before + (32 << 20))
      let name = directory.names.first ?? ""
      var status = stat()
      #expect(unsafe stat("\(directory.path)/\(name)", &status) == 0)
      #expect(UInt64(status.st_blocks) * 512 <= maximumBytes + (64 << 10))
      #expect(UInt64(status.st_size) <= maximumBytes)
      source.close()
    }
  }

  /// This process's resident memory in bytes, by the kernel.
  private static func residentBytes() -> UInt64 {
    let descriptor = openDescriptor("/proc/self/statm", O_RDONLY)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
    let fields = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
    return (fields.count > 1 ? UInt64(fields[1]) ?? .max >> 20 : .max >> 20)
      * UInt64(sysconf(Int32(_SC_PAGESIZE)))
  }
}
