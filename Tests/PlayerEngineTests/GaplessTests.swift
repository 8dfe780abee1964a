// SPDX-License-Identifier: MIT

import PlayerEngine
import RenderCore
import TestKit
import Testing

/// A continuous album: a sweep cut into five pieces at odd frames, each encoded separately.
@Suite("Gapless joins")
struct GaplessTests {
  private static let cuts = [0, 37123, 91777, 150_001, 222_223]

  /// Returns the original sweep, and the playback of its encoded pieces.
  private func play(
    _ recipe: CodecRecipe
  ) throws -> (whole: [Float], played: [Float], playback: OfflinePlayback) {
    let directory = TemporaryDirectory()
    let rate = recipe.sampleRate
    let whole = directory.file("whole.wav")
    _ = ReferenceDecoder.output(
      "sox -R -D -r \(rate) -n -b 16 -c 2 '\(whole)' synth \(8 * rate)s sine 60-9000 gain -6")
    let pieces = Self.cuts.enumerated().map { index, first in
      let end = index + 1 < Self.cuts.count ? Self.cuts[index + 1] : 8 * rate
      let piece = directory.file("piece\(index).wav")
      _ = ReferenceDecoder.output("sox '\(whole)' '\(piece)' trim \(first)s \(end - first)s")
      return recipe.encode("piece\(index)", in: directory)
    }
    let playback = OfflinePlayback(pieces, rate: Double(rate), channels: 2)
    playback.run(period: 1024)
    return (ReferenceDecoder.ffmpeg(whole), playback.sound.interleaved, playback)
  }

  @Test("Lossless pieces join to exactly the original samples", arguments: CodecRecipe.lossless)
  func lossless(_ recipe: CodecRecipe) throws {
    let (whole, played, playback) = try play(recipe)
    #expect(played.count == whole.count)
    let isEqual = played == whole
    #expect(isEqual)
    #expect(playback.player.control.counters.underruns == 0)
  }

  @Test(
    "Lossy pieces join without a frame too many or too few, in phase", arguments: CodecRecipe.lossy)
  func lossy(_ recipe: CodecRecipe) throws {
    let (whole, played, playback) = try play(recipe)
    #expect(played.count == whole.count)
    #expect(playback.player.control.counters.underruns == 0)
    let errors = zip(played, whole).map { abs($0 - $1) }
    // The sweep's amplitude is 0.5. An encoder does not know the sound beyond its piece's edge, and errs more there.
    // One frame too many or too few would put all later sound out of phase, by up to the whole amplitude at the
    // sweep's end.
    var first = 0
    for cut in Self.cuts.dropFirst() + [whole.count / 2] {
      let inner = errors[(first + 600) * 2..<(cut - 600) * 2]
      #expect(inner.max() ?? 0 < 0.06, "between frames \(first) and \(cut)")
      first = cut
    }
    #expect(errors.max() ?? 0 < 0.2)
  }
}
