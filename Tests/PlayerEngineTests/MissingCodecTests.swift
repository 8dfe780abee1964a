// SPDX-License-Identifier: MIT

import AudioModel
import PlayerEngine
import TestKit
import Testing

@Suite("Codecs that a build may lack")
struct MissingCodecTests {
  @Test(
    "A track plays, or is refused with the name of the package that its codec needs",
    arguments: CodecRecipe.all)
  func playsOrSaysWhatIsMissing(_ recipe: CodecRecipe) throws {
    let directory = TemporaryDirectory()
    _ = ReferenceDecoder.output(
      "sox -R -D -r \(recipe.sampleRate) -n -b 16 -c 2 '\(directory.file("tone.wav"))'"
        + " synth 1 sine 440 gain -6")
    let track = recipe.encode("tone", in: directory)
    // The second track plays either way.
    let playback = OfflinePlayback(
      [track, directory.file("tone.wav")], rate: Double(recipe.sampleRate), channels: 2)
    playback.run(period: 1024)
    #expect(playback.states.last == .ended)
    let failures = playback.events.compactMap { event in
      if case .failed(let index, let error) = event { (index, "\(error)") } else { nil }
    }
    let seconds = Double(playback.sound[0].count) / Double(recipe.sampleRate)
    guard !recipe.isDecoded else {
      #expect(failures.isEmpty)
      #expect(seconds > 1.9)
      return
    }
    let packages: [AudioFormatID: String] = [.flac: "libflac-dev", .opus: "libopus-dev"]
    try #require(failures.count == 1)
    #expect(failures[0].0 == 0)
    #expect(failures[0].1.hasPrefix(track))
    #expect(failures[0].1.contains(packages[recipe.formatID] ?? "libavcodec-dev"))
    #expect(seconds == 1)
  }
}
