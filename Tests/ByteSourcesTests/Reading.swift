// SPDX-License-Identifier: MIT

import ByteSources
import Glibc
import Testing

let millisecond: UInt64 = 1_000_000
let second: UInt64 = 1_000_000_000

extension ByteSource {
  /// Reads once into a new array.
  func read(
    _ count: Int = 16 * 1024, timeout: UInt64 = 10 * second
  ) throws(ByteSourceError) -> (answer: ByteSourceRead, bytes: [UInt8]) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { unsafe buffer.deallocate() }
    let answer = try unsafe read(into: buffer, timeoutNanoseconds: timeout)
    guard case .bytes(let count) = answer else { return (answer, []) }
    return (answer, unsafe Array(buffer[..<count]))
  }

  /// Reads until the end or an error, and returns the bytes before it, split at discontinuities.
  func readStretches(
    _ count: Int = 16 * 1024
  ) -> (stretches: [[UInt8]], error: ByteSourceError?) {
    var stretches: [[UInt8]] = [[]]
    do throws(ByteSourceError) {
      while true {
        let (answer, piece) = try read(count)
        stretches[stretches.count - 1] += piece
        if answer == .discontinuity { stretches.append([]) }
        if answer == .end { return (stretches, nil) }
      }
    } catch {
      return (stretches, error)
    }
  }

  /// Reads until the end or an error, and returns the bytes before it.
  func readAll(_ count: Int = 16 * 1024) -> (bytes: [UInt8], error: ByteSourceError?) {
    var bytes: [UInt8] = []
    do throws(ByteSourceError) {
      while true {
        let (answer, piece) = try read(count)
        bytes += piece
        if answer == .end { return (bytes, nil) }
      }
    } catch {
      return (bytes, error)
    }
  }
}

extension ByteSourceConfiguration {
  /// A configuration without retries: the first loss of a connection is an error.
  static var once: ByteSourceConfiguration {
    var configuration = ByteSourceConfiguration()
    configuration.leastReconnectionNanoseconds = 0
    configuration.leastReconnectionAttempts = 0
    return configuration
  }

  /// A configuration that retries five times, without pauses.
  static var eager: ByteSourceConfiguration {
    var configuration = ByteSourceConfiguration()
    configuration.leastReconnectionNanoseconds = 0
    configuration.reconnectionDelayNanoseconds = 0
    configuration.maximumRetryAfterNanoseconds = 0
    return configuration
  }
}

/// Opens and reads a location to its end, and closes it.
func readAll(
  _ location: String, _ configuration: ByteSourceConfiguration = ByteSourceConfiguration()
) -> (bytes: [UInt8], error: ByteSourceError?) {
  do throws(ByteSourceError) {
    let source = try openByteSource(location, configuration: configuration)
    defer { source.close() }
    return source.readAll()
  } catch {
    return ([], error)
  }
}

/// The reason why a location delivers nothing; records an issue if it delivers anything.
func failure(
  _ location: String, _ configuration: ByteSourceConfiguration = ByteSourceConfiguration()
) -> ByteSourceError.Reason? {
  let (bytes, error) = readAll(location, configuration)
  #expect(bytes.isEmpty)
  if let error {
    #expect(!error.description.contains("\n"))
    #expect(error.description.contains(error.location))
  }
  return error?.reason
}

/// The duration of a function in nanoseconds.
func duration(_ body: () throws -> Void) rethrows -> UInt64 {
  func now() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * second + UInt64(time.tv_nsec)
  }
  let start = now()
  try body()
  return now() - start
}

/// A body whose bytes depend on their offset, with a period that is not a power of two.
enum Pattern {
  private static let table: [UInt8] = (0..<(251 * 300)).map { UInt8($0 % 251) }

  /// The bytes at an offset; at most 64 KiB.
  static func bytes(_ offset: UInt64, _ count: Int) -> [UInt8] {
    let start = Int(offset % 251)
    return Array(table[start..<(start + count)])
  }

  /// A whole body.
  static func body(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8($0 % 251) }
  }
}
