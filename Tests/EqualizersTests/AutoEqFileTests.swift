// SPDX-License-Identifier: MIT

import Equalizers
import TestKit
import Testing

/// A file as AutoEq writes it, in one of many forms, with its expected filters.
struct AutoEqFile {
  enum Shape: CaseIterable { case peaking, lowShelf, highShelf }

  struct Line {
    var shape: Shape
    var frequency: Double
    var gain: Double
    var quality: Double
  }

  var bytes: [UInt8]
  var preamp: Double
  var lines: [Line] = []

  /// - Parameter seed: Determines the whole file.
  init(seed: Int) {
    var random = SplitMix(state: UInt64(seed))
    let isComma = seed % 3 == 0
    func decimal(_ value: Int, _ digits: Int) -> String {
      let scale = [1, 10, 100][digits]
      let fraction = String(abs(value) % scale)
      let whole = "\(value < 0 ? "-" : "")\(abs(value) / scale)"
      if digits == 0 { return whole }
      let zeros = String(repeating: "0", count: digits - fraction.count)
      return whole + (isComma ? "," : ".") + zeros + fraction
    }
    let tenths = Int.random(in: -120...0, using: &random)
    preamp = Double(tenths) / 10
    var text = "Preamp: \(decimal(tenths, 1)) dB\n"
    for number in 1...10 {
      let shape = Shape.allCases.randomElement(using: &random)!
      let type = [Shape.peaking: "PK", .lowShelf: "LSC", .highShelf: "HSC"][shape]!
      let frequency = Int.random(in: 200...190_000, using: &random)
      let gain = Int.random(in: -200...200, using: &random)
      let quality = Int.random(in: 10...600, using: &random)
      var shownFrequency = decimal(frequency, 1)
      var value = Double(frequency) / 10
      if Int.random(in: 0..<3, using: &random) == 0 {
        value = Double(frequency / 10)
        shownFrequency = String(frequency / 10)
        // Thousands are grouped as by Room EQ Wizard.
        if value >= 1000, Bool.random(using: &random) {
          let mark = [",", ".", "\u{A0}", "\u{202F}"].randomElement(using: &random)!
          shownFrequency = String(shownFrequency.dropLast(3)) + mark + shownFrequency.suffix(3)
        }
      }
      let kept = Int.random(in: 0..<8, using: &random)
      let state = kept == 0 ? "OFF" : "ON"
      let gap = String(repeating: " ", count: Int.random(in: 1...6, using: &random))
      if kept == 1 {
        text += "Filter \(number): ON\(gap)None\n"
        continue
      }
      text += "Filter \(number): \(state) \(type)\(gap)Fc\(gap)\(shownFrequency) Hz"
      text += "\(gap)Gain \(decimal(gain, 1)) dB\(gap)Q \(decimal(quality, 2))\n"
      if kept == 0 { continue }
      lines.append(
        Line(
          shape: shape, frequency: value, gain: Double(gain) / 10, quality: Double(quality) / 100))
    }
    if seed % 5 == 0 { text = "# Écouteurs\n\n" + text + "\n   \n" }
    if seed % 2 == 0 {
      text = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
    }
    bytes = Self.encode(text, as: seed / 2 % 5)
  }

  /// Encodes a text as UTF-8 without or with a byte-order mark, UTF-16 of either order, or Latin-1.
  static func encode(_ text: String, as encoding: Int) -> [UInt8] {
    switch encoding {
    case 0: Array(text.utf8)
    case 1: [0xEF, 0xBB, 0xBF] + Array(text.utf8)
    case 2: [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    case 3: [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    default:
      text.unicodeScalars.contains { $0.value > 0xFF }
        ? Array(text.utf8) : text.unicodeScalars.map { UInt8($0.value) }
    }
  }

  /// The gain in dB at a frequency.
  func gain(_ frequency: Double, _ rate: Double) -> Double {
    lines.reduce(preamp) { sum, line in
      let s = AnalogFilter.s(frequency, line.frequency, rate)
      let value =
        switch line.shape {
        case .peaking: AnalogFilter.peaking(s, gain: line.gain, quality: line.quality)
        case .lowShelf: AnalogFilter.lowShelf(s, gain: line.gain, quality: line.quality)
        case .highShelf: AnalogFilter.highShelf(s, gain: line.gain, quality: line.quality)
        }
      return sum + value.decibels
    }
  }
}

@Suite("A file of AutoEq")
struct AutoEqFileTests {
  static let rates = [44_100.0, 48_000, 88_200, 96_000, 176_400, 192_000]

  @Test("has the response of its formulas within 0.001 dB, in any spelling", arguments: 0..<500)
  func response(_ seed: Int) throws {
    let file = AutoEqFile(seed: seed)
    let curve = try read(file.bytes)
    #expect(curve.form == .parametric)
    #expect(curve.preampDecibels == file.preamp)
    #expect(curve.filters.count == file.lines.count)
    for rate in Self.rates {
      let design = try curve.design(sampleRate: rate)
      var largest = 0.0
      for frequency in AnalogFilter.frequencies(rate) {
        let expected = file.gain(frequency, rate)
        for channel in 0...1 {
          let found = design.response(atHertz: frequency, from: channel, to: channel).gainDecibels
          largest = max(largest, abs(found - expected))
        }
      }
      #expect(largest < 0.001, "\(rate)")
    }
  }

  @Test("with ten bands of Q 1.41 is recognised as fixed-band")
  func fixedBand() throws {
    let frequencies = [31, 62, 125, 250, 500, 1000, 2000, 4000, 8000, 16000]
    var text = "Preamp: -5.5 dB\n"
    for (index, frequency) in frequencies.enumerated() {
      text += "Filter \(index + 1): ON PK Fc \(frequency) Hz Gain \(index - 5).5 dB Q 1.41\n"
    }
    let curve = try read(text)
    #expect(curve.form == .fixedBand)
    #expect(curve.filters.map(\.frequencyHertz) == frequencies.map(Double.init))
    #expect(curve.preampDecibels == -5.5)
  }

  @Test(
    "of a graphic equaliser is a curve that is linear in dB over the logarithm of the frequency")
  func graphic() throws {
    let curve = try read("GraphicEQ: 20 -1.2; 200 3.0; 20000 -6.0")
    #expect(curve.form == .graphic && curve.preampDecibels == nil)
    let design = try curve.design(sampleRate: 48_000)
    let points = [
      (1.0, -1.2), (20, -1.2), (63.2455532, 0.9), (200, 3), (2000, -1.5), (20_000, -6),
      (24_000, -6),
    ]
    for (frequency, gain) in points {
      let found = design.response(atHertz: frequency, from: 1, to: 1).gainDecibels
      #expect(abs(found - gain) < 1e-6, "\(frequency)")
    }
    #expect(abs(design.automaticPreampDecibels() + 3) < 0.001)
  }

  @Test("of a graphic equaliser may have a decimal comma, no order, and a last semicolon")
  func graphicSpellings() throws {
    let expected = try read("GraphicEQ: 20.5 -1.2; 100 0.5").steps
    for text in ["GraphicEQ: 20,5 -1,2; 100 0,5;", "graphiceq:100 0.5;20.5 -1.2 ; # Wavelet"] {
      #expect(try read(text).steps == expected, "\(text)")
    }
  }
}
