// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

@testable import OfflineOutput

@Suite("A WAVE file")
struct WaveFileWriterTests {
  @Test("is closed once: a later file with the same descriptor is left alone")
  func closedTwice() throws {
    let folder = TemporaryDirectory()
    var writer = try WaveFileWriter(
      path: folder.file("samples.wav"), sampleRate: 48000, channels: 1)
    try writer.write(interleaved: ([0.5, -0.5] as [Float]).span)
    try writer.close()
    let isWhole = contents(ofFile: folder.file("samples.wav"))
    // Other tests open files, too: enough are opened here that one of them gets the number.
    let others = (0..<16).map { index in
      unsafe open(folder.file("other\(index)"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    }
    defer { for other in others { close(other) } }
    for other in others { #expect(unsafe write(other, "text", 4) == 4) }
    try writer.close()
    for other in others {
      var status = stat()
      #expect(unsafe fstat(other, &status) == 0 && status.st_size == 4)
    }
    #expect(contents(ofFile: folder.file("samples.wav")) == isWhole)
  }

  @Test("accepts no samples once it is closed", arguments: [2, 1 << 16])
  func writtenLate(_ count: Int) throws {
    let folder = TemporaryDirectory()
    var writer = try WaveFileWriter(path: folder.file("late.wav"), sampleRate: 48000, channels: 1)
    try writer.close()
    let samples = [Float](repeating: 0, count: count)
    var error: WaveFileWriterError?
    do throws(WaveFileWriterError) { try writer.write(interleaved: samples.span) } catch let thrown
    {
      error = thrown
    }
    #expect(error?.operation == "write")
    #expect(writer.frameCount == 0)
    try writer.close()
  }

  /// A tone of a second and a half in two channels.
  private static let tone = (0..<2 * 72000).map { Float($0 % 97) / 97 }

  @Test(
    "can be read to its last second while it is written, and is RF64 if it is larger",
    arguments: [UInt64(UInt32.max), 400_000])
  func unfinished(_ largestRIFF: UInt64) throws {
    let folder = TemporaryDirectory()
    let path = folder.file("growing.wav")
    var writer = try WaveFileWriter(
      path: path, sampleRate: 48000, channels: 2, largestRIFF: largestRIFF)
    try writer.write(interleaved: Self.tone.span)
    // The file is not closed, as after a process was killed.
    #expect(ReferenceDecoder.ffmpeg(path) == Self.tone)
    try writer.write(interleaved: Self.tone.span.extracting(first: 200))
    try writer.close()
    #expect(ReferenceDecoder.ffmpeg(path) == Self.tone + Self.tone.prefix(200))
    let tag = String(decoding: contents(ofFile: path).prefix(4), as: UTF8.self)
    #expect(tag == (largestRIFF > 500_000 ? "RIFF" : "RF64"))
  }
}
