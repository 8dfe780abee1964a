// SPDX-License-Identifier: MIT

import OfflineOutput
import TestKit
import Testing

@Suite("A FLAC file")
struct FLACFileWriterTests {
  @Test("holds each sample in 24 bits, clipped at full scale, as another decoder reads it")
  func samples() throws {
    let folder = TemporaryDirectory()
    let path = folder.file("samples.flac")
    let step = 1 / Float(1 << 23)
    let samples: [Float] = [0.5, -0.25, step, -step, 2, -2, .nan, .infinity, 0.6 * step, -1]
    var writer = try FLACFileWriter(path: path, sampleRate: 44100, channels: 2)
    try writer.write(interleaved: samples.span)
    try writer.write(interleaved: [Float]().span)
    #expect(writer.frameCount == 5)
    try writer.close()
    try writer.close()
    let expected: [Float] = [0.5, -0.25, step, -step, 1 - step, -1, 0, 0, step, -1]
    #expect(ReferenceDecoder.ffmpeg(path) == expected)
    #expect(ReferenceDecoder.ffprobe(path, "bits_per_raw_sample") == 24)
    #expect(ReferenceDecoder.ffprobe(path, "sample_rate") == 44100)
  }

  @Test("is refused if FLAC has no such format, or its folder does not exist")
  func refused() {
    let folder = TemporaryDirectory()
    #expect(throws: FLACFileWriterError.self) {
      _ = try FLACFileWriter(path: folder.file("nine.flac"), sampleRate: 48000, channels: 9)
    }
    #expect(throws: FLACFileWriterError.self) {
      _ = try FLACFileWriter(path: "/nowhere/take.flac", sampleRate: 48000, channels: 2)
    }
  }
}
