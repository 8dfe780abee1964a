// SPDX-License-Identifier: MIT

import AudioModel
import PlayerEngine
import TestKit
import Testing

/// Containers used mostly for linear PCM, from the file to the samples.
@Suite("Decoding the contents of PCM containers")
struct PCMContainerTests {
  private static let source = "-f lavfi -i 'anoisesrc=d=0.3:r=44100:a=0.7:s=7'"

  private func made(_ command: String, in folder: TemporaryDirectory, _ name: String) -> String {
    let path = folder.file(name)
    _ = ReferenceDecoder.output(
      "ffmpeg -v error -y \(Self.source) -ac 2 '\(folder.file("in.wav"))' </dev/null; "
        + "ffmpeg -v error -y -i '\(folder.file("in.wav"))' \(command) '\(path)' </dev/null")
    return path
  }

  private func render(_ path: String) throws -> [Float] {
    let format = try TrackReader(opening: path).readInformation().dataFormat
    let playback = OfflinePlayback(
      [path], rate: format.sampleRate, channels: Int(format.channelsPerFrame))
    playback.run(period: 1024)
    #expect(playback.states.last == .ended)
    return playback.sound.interleaved
  }

  @Test(
    "Every layout has ffmpeg's frames, sample for sample",
    arguments: [
      "-c:a pcm_s8 out.aiff", "-c:a pcm_s16be out.aiff", "-c:a pcm_s24be out.aiff",
      "-c:a pcm_s32be out.aiff", "-c:a pcm_f32be out.aiff", "-c:a pcm_f64be out.aiff",
      "-c:a pcm_s16le out.aifc", "-c:a pcm_s8 out.au", "-c:a pcm_s16be -ac 1 out.au",
      "-c:a pcm_s24be out.au", "-c:a pcm_s32be out.au", "-c:a pcm_f32be out.au",
      "-c:a pcm_f64be out.au", "-c:a pcm_s24le -rf64 always out.wav", "-c:a pcm_s16le out.w64",
      "-c:a pcm_u8 out.w64", "-c:a pcm_f32le out.w64",
    ])
  func layouts(_ words: String) throws {
    let folder = TemporaryDirectory()
    let parts = words.split(separator: " ")
    let path = made(parts.dropLast().joined(separator: " "), in: folder, String(parts.last ?? ""))
    let expected = ReferenceDecoder.ffmpeg(path)
    #expect(expected.count > 10_000)
    #expect(try render(path) == expected)
  }

  @Test("Samples of 20 and 12 bits lie in the high bits of their bytes", arguments: [20, 12])
  func highBits(_ bits: UInt8) throws {
    let folder = TemporaryDirectory()
    let codec = bits > 16 ? "pcm_s24be" : "pcm_s16be"
    let path = made("-c:a \(codec)", in: folder, "out.aiff")
    let expected = ReferenceDecoder.ffmpeg(path)
    // COMM is the first chunk: the headers of FORM and COMM, the channels and the frames precede the bits.
    let patch = "printf '\\\(String(bits, radix: 8))' | dd of='\(path)' bs=1 seek=27 conv=notrunc"
    _ = ReferenceDecoder.output("\(patch) 2>/dev/null")
    #expect(ReferenceDecoder.ffprobe(path, "bits_per_sample") == Int(bits + 7) / 8 * 8)
    #expect(try TrackReader(opening: path).readInformation().dataFormat.bitsPerChannel == bits)
    #expect(expected.count > 10_000)
    #expect(try render(path) == expected)
  }

  @Test("MPEG audio in a WAVE file sounds as mpg123 decodes it")
  func mpegAudio() throws {
    let folder = TemporaryDirectory()
    for codec in ["libmp3lame", "mp2"] {
      let path = made("-c:a \(codec) -b:a 192k -fflags +bitexact", in: folder, "\(codec).wav")
      let expected = ReferenceDecoder.mpg123(path)
      #expect(expected.count > 10_000)
      #expect(try render(path) == expected)
    }
  }

  @Test("An encoding without a decoder is refused by its name")
  func refused() throws {
    let folder = TemporaryDirectory()
    let path = made("-ar 8000 -ac 1 -c:a pcm_s16le", in: folder, "in8000.wav")
    let gsm = folder.file("out.wav")
    _ = ReferenceDecoder.output("sox -D '\(path)' -e gsm-full-rate '\(gsm)'")
    let playback = OfflinePlayback([gsm], rate: 44100, channels: 2)
    playback.run(period: 1024)
    let errors = playback.events.compactMap {
      if case .failed(0, let error) = $0 { "\(error)" } else { nil }
    }
    #expect(errors.count == 1)
    #expect(errors.first?.contains("no decoder for GSM 6.10") == true, "\(errors)")
    #expect(errors.first?.contains("'fmt?'") == true, "\(errors)")
  }
}
