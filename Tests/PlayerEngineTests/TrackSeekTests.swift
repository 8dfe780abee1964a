// SPDX-License-Identifier: MIT

import AudioModel
import PlayerEngine
import TestKit
import Testing

@Suite("Seeking in a track")
struct TrackSeekTests {
  /// Interleaved samples from a frame of the sound on; nil for the start without a seek.
  private func rendered(
    _ path: String, from frame: Int64?, frames: Int = .max
  ) throws -> (samples: [Float], seek: TrackSeek?) {
    let reader = try TrackReader(opening: path)
    let format = try reader.readInformation().dataFormat
    let seek = try frame.map { try reader.seek(toFrame: $0) }
    let playback = OfflinePlayback(
      opened: reader, [], rate: format.sampleRate, channels: Int(format.channelsPerFrame))
    playback.run(period: 1024, frames: frames)
    return (playback.sound.interleaved, seek)
  }

  @Test(
    "After a seek to any frame the samples are those of the straight decode there",
    arguments: [
      "wav-s16-44100-2.wav", "wav-ext-s24-96000-6.wav", "gapless-1.mp3", "mp3-vbr2-44100-2.mp3",
      "mp3-abr160-44100-2.mp3", "mp3-cbr-8000-1.mp3", "mp3-free-44100-2.mp3",
      "mp3-id3-big.mp3", "mp2-192-44100-2.mp2", "mp1-384-44100-2.mp1",
    ])
  func straight(_ name: String) throws {
    let path = Fixtures.path(name)
    let straight = try rendered(path, from: nil).samples
    let channels = Int(
      try TrackReader(opening: path).readInformation().dataFormat.channelsPerFrame)
    let count = Int64(straight.count / channels)
    var random = SplitMix(state: 1)
    let places =
      [0, 1, count - 1] + (0..<200).map { _ in Int64.random(in: 0..<count, using: &random) }
    for frame in places {
      let (samples, seek) = try rendered(path, from: frame, frames: 4096)
      let result = try #require(seek)
      #expect(result.askedFrame == frame)
      #expect(result.reachedFrame == frame)
      #expect(!result.isEstimated && result.errorBoundFrames == 0)
      let expected = straight.dropFirst(Int(frame) * channels).prefix(samples.count)
      #expect(samples.count == min(4096, Int(count - frame)) * channels)
      let isEqual = samples.elementsEqual(expected)
      #expect(isEqual, "frame \(frame)")
    }
  }
}
