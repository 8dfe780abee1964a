// SPDX-License-Identifier: MIT

import Glibc
import OfflineOutput
import TestKit
import Testing

@Suite("A WAVE file")
struct WaveFileWriterTests {
  @Test("is closed once: a file that has its descriptor's number then is left alone")
  func closedTwice() throws {
    let folder = TemporaryDirectory()
    var writer = try WaveFileWriter(
      path: folder.file("samples.wav"), sampleRate: 48000, channels: 1)
    try writer.write(interleaved: ([0.5, -0.5] as [Float]).span)
    try writer.close()
    let isWhole = contents(ofFile: folder.file("samples.wav"))
    // Other tests open files, too: enough of them that one has the number.
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

  @Test("takes nothing more once it is closed", arguments: [2, 1 << 16])
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
}
