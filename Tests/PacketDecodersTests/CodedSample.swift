// SPDX-License-Identifier: MIT

import AudioModel
import TestKit
import Testing

/// A short sound in each of the formats.
enum CodedSample: String, CaseIterable, Sendable {
  case aac, adts, heAAC, heAACv2, appleLossless, flac, ac3, enhancedAC3, vorbis, opus, layer2,
    layer3

  static let made: [CodedSample: CodedFile] = {
    var files: [CodedSample: CodedFile] = [:]
    for sample in allCases { files[sample] = try? sample.make() }
    return files
  }()

  /// A seed for this format.
  var seed: UInt64 { UInt64(rawValue.utf8.reduce(0 as UInt32) { $0 &* 31 &+ UInt32($1) }) }

  private func make() throws -> CodedFile {
    switch self {
    case .heAAC: try CodedFile(Fixtures.repository + "/Tests/Fixtures/he-aac-v1.m4a")
    case .heAACv2: try CodedFile(Fixtures.repository + "/Tests/Fixtures/he-aac-v2.m4a")
    case .aac: try encode("-c:a aac -aac_pns 0", "m4a")
    case .adts: try encode("-c:a aac -aac_pns 0", "aac")
    case .appleLossless: try encode("-c:a alac", "m4a")
    case .flac: try encode("-c:a flac", "flac")
    case .ac3: try encode("-c:a ac3", "mp4", rate: 48_000)
    case .enhancedAC3: try encode("-c:a eac3", "mp4", rate: 48_000)
    case .vorbis: try encode("-c:a libvorbis", "ogg")
    case .opus: try encode("-c:a libopus", "ogg", rate: 48_000)
    case .layer2: try encode("-c:a libtwolame", "mp2")
    case .layer3: try encode("-c:a libmp3lame -b:a 64k", "mp3")
    }
  }

  private func encode(_ options: String, _ type: String, rate: Int = 44_100) throws -> CodedFile {
    let workshop = Workshop()
    try workshop.makeSource(rate: rate, seconds: 2)
    try workshop.run("ffmpeg -v error -i source.wav \(options) a.\(type)")
    return try CodedFile(workshop.path("a.\(type)"))
  }
}

/// A repeatable generator (xorshift64*).
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_F491_4F6C_DD1D
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 32) }
  }
}
