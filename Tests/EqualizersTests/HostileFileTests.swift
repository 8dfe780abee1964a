// SPDX-License-Identifier: MIT

import AudioModel
import Equalizers
import TestKit
import Testing

@Suite("A hostile file")
struct HostileFileTests {
  /// Pieces for random files, which are difficult for readers.
  static let pieces: [String] = [
    "Preamp:", "Filter 1:", "Filter: ON", " PK", " LS", " HSC", " IIR Order 2 Coefficients", " Fc ",
    " Hz", " Gain ", " dB", " Q ", " BW Oct ", "GraphicEQ:", ";", "Copy:", " L=", "*R", "+", "L2",
    "Channel:", " all", " X", "Delay:", " ms", " samples", "Include:", " self", "Convolution:",
    "filters:\n", "  a:\n", "    type: Biquad\n", "    parameters:\n", "{", "}", "[", "\"", "'",
    "-",
    " -1", "1", "0", "99999999999999999999", "1e308", "1e-308", ".", ",", "#", "\n", "\r", "\t",
    " ",
    "\u{A0}", "é", "\0", "\u{FEFF}", "`", "Filter Settings file\n", "Equaliser: X\n", ":", "nan",
    "inf",
  ]

  @Test("of random bytes or pieces is read, or refused with existing lines", arguments: 0..<600)
  func random(_ seed: Int) throws {
    var random = SplitMix(state: UInt64(seed))
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 0..<80, using: &random) {
      if seed % 4 == 0 {
        bytes.append(UInt8.random(in: 0...255, using: &random))
      } else {
        bytes += Array(Self.pieces.randomElement(using: &random)!.utf8)
      }
    }
    let copy = bytes
    let includer: EqualizerIncluder = { (name, _) throws(EqualizerIncludeFailure) in
      EqualizerIncludedFile(name: name, bytes: copy)
    }
    do throws(EqualizerError) {
      let curve = try read(bytes, including: includer)
      #expect(curve.steps.count <= bytes.count)
      check(curve)
    } catch {
      #expect(!error.problems.isEmpty && error.problems.count <= 100)
      for problem in error.problems {
        #expect(problem.line >= 1 && problem.line <= bytes.count + 1)
        #expect(!problem.description.contains("\n"))
      }
    }
  }

  private func check(_ curve: EqualizerCurve) {
    guard let design = try? curve.design(sampleRate: 48_000) else { return }
    #expect(design.automaticPreampDecibels().isFinite)
    for step in design.steps {
      if case .biquad(let section) = step.operation { #expect(section.isFinite) }
    }
  }

  @Test("that is cut anywhere is read or has a problem in its last line")
  func cuts() {
    let text = Array(
      """
      Preamp: -6.1 dB
      Filter 1: ON LSC Fc 105 Hz Gain 6.4 dB Q 0.70
      Copy: L2=0.5*L
      GraphicEQ: 20 -1.2; 21 -1.1
      Delay: 10 ms
      """.utf8)
    for count in 0..<text.count {
      do throws(EqualizerError) {
        _ = try read(Array(text[..<count]))
      } catch {
        let line = text[..<count].split(separator: 0x0A, omittingEmptySubsequences: false).count
        #expect(error.problems.map(\.line) == [line], "\(count)")
      }
    }
  }

  @Test("that is larger than a limit is one problem")
  func limits() {
    var limits = EqualizerCurve.Limits()
    limits.steps = 10
    limits.graphicPoints = 10
    limits.lines = 50
    limits.bytes = 2000
    let reasons: [(String, EqualizerProblem.Reason, Int)] = [
      (String(repeating: "Preamp: 1 dB\n", count: 11), .tooManySteps(limit: 10), 11),
      (String(repeating: "#\n", count: 51), .tooManyLines(limit: 50), 51),
      (String(repeating: " ", count: 2001), .tooManyBytes(limit: 2000), 1),
      (
        "GraphicEQ: " + (1...11).map { "\($0) 0" }.joined(separator: ";"),
        .tooManyItems("points", limit: 10), 1
      ),
      (
        "Copy: " + (1...65).map { "A\($0)=L" }.joined(separator: " "),
        .tooManyItems("assignments", limit: 64), 1
      ),
      (
        "Copy: L=" + String(repeating: "R+", count: 64) + "R", .tooManyItems("summands", limit: 64),
        1
      ),
    ]
    for (text, reason, line) in reasons {
      let found = problems(text, limits: limits)
      #expect(found.map(\.reason) == [reason] && found.map(\.line) == [line])
    }
  }

  /// A length at which any worse than proportional cost takes minutes.
  @Test(
    "of great length is read in a time proportional to its length",
    arguments: [
      "#", "\n", " ", "\r", "1", "e", ".", ",", "1 1;", "20 ", ";", "L=R ", "+R", "a:\n", " a:\n",
      "-",
      "{", "\"", "'", "\u{A0}", "Preamp: 1 dB\n", "Filter: ON PK Fc 9 Hz Gain 1 dB Q 1\n", "x\n",
    ])
  func length(_ piece: String) {
    let body = String(repeating: piece, count: 200_000 / piece.utf8.count)
    let time = ContinuousClock().measure {
      for start in [
        "", "Preamp: ", "Filter: ON PK Fc ", "GraphicEQ: ", "Copy: L=", "Copy: ", "Channel: ",
        "filters:\n a:\n  ", "filters:\n a:\n  parameters: {", "Filter Settings file\n",
      ] {
        _ = problems(start + body)
      }
    }
    #expect(time < .seconds(30))
  }

  @Test("of extreme values is realised with finite coefficients, or refused")
  func extremes() {
    for kind in EqualizerFilter.Kind.allCases {
      for frequency in [1e-3, 1, 1e3, 23_999.999, 1e300, -1, 0, .infinity, .nan] {
        for gain in [-120.0, -1e-9, 0, 120, 1e300, .nan] {
          for value in [1e-300, 1e-3, 0.7, 1e4, 1e300, 0, -1, .infinity, .nan] {
            for width: EqualizerFilter.Width? in [
              .quality(value), .bandwidthOctaves(value), .slopeDecibelsPerOctave(value), nil,
            ] {
              let filter = EqualizerFilter(
                kind, frequencyHertz: frequency, gainDecibels: gain, width: width)
              guard let section = try? filter.coefficients(sampleRate: 48_000) else { continue }
              #expect(section.isFinite && section.isStable, "\(filter)")
            }
          }
        }
      }
    }
  }
}
