// SPDX-License-Identifier: MIT

import PlayerEngine
import TestKit
import Testing

@Suite struct FarSeekTests {
  @Test(
    "A seek beyond any possible end leads to the end, in a file and on a server",
    arguments: CorpusFile.readable)
  func farBehind(_ file: CorpusFile) throws {
    let web = LoopbackHTTPServer()
    defer { web.stop() }
    web.serve("/track", .file(file.path, ranges: .honoured))
    for location in [file.path, web.url("/track")] {
      for frame in [Int64.max, Int64.max / 2, Int64.max / 2048] {
        let reader = try TrackReader(opening: location)
        try reader.readInformation()
        let seek = try reader.seek(toFrame: frame)
        #expect(seek.askedFrame == min(frame, 1 << 60) && seek.reachedFrame >= 0)
        // A file is read to its end, which is then reported.
        if location == file.path { #expect(seek.reachedFrame < 1 << 32) }
        #expect((seek.errorBoundFrames ?? 0) >= 0)
      }
    }
  }
}
