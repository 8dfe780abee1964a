// SPDX-License-Identifier: MIT

import Testing

@testable import TimingReport

@Suite("An axis")
struct AxisScaleTests {
  private func labelled(_ scale: AxisScale) -> [Double] {
    scale.ticks().filter(\.isLabelled).map(\.value)
  }

  @Test("that is linear is marked at multiples of 1, 2 or 5 of a decade")
  func linearTicks() {
    #expect(labelled(.linear(from: 0, to: 100)) == [0, 20, 40, 60, 80, 100])
    #expect(labelled(.linear(from: 0, to: 30)) == [0, 5, 10, 15, 20, 25, 30])
    let small = labelled(.linear(from: 0, to: 0.7))
    #expect(small.map { ($0 * 10).rounded() } == [0, 1, 2, 3, 4, 5, 6, 7])
  }

  @Test("that is logarithmic is marked at decades, and at 2 and 5 when there are few")
  func logarithmicTicks() {
    #expect(labelled(.logarithmic(from: 1, to: 100)) == [1, 2, 5, 10, 20, 50, 100])
    #expect(labelled(.logarithmic(from: 0.6, to: 20_000)) == [1, 10, 100, 1000, 10_000])
    let many = labelled(.logarithmic(from: 1, to: 1e18))
    #expect((5...10).contains(many.count))
  }

  @Test("for given values ends at 1, 2 or 5 of a decade around them")
  func covering() {
    let scale = AxisScale.logarithmic(covering: [0, 3100, 48_000, 1.4e6], atLeast: 100)
    #expect(abs(scale.lower / 100 - 1) < 1e-9 && abs(scale.upper / 2e6 - 1) < 1e-9)
    let exact = AxisScale.logarithmic(covering: [2000, 50_000], atLeast: 100)
    #expect(abs(exact.lower / 2000 - 1) < 1e-9 && abs(exact.upper / 50_000 - 1) < 1e-9)
    let single = AxisScale.logarithmic(covering: [3000], atLeast: 100)
    #expect(single.upper >= single.lower * 4.999)
    #expect(single.lower < 2000 && single.upper > 5000)
  }

  @Test("maps values between its ends, and others to the nearer end")
  func positions() {
    let linear = AxisScale.linear(from: 10, to: 20)
    #expect([10, 15, 20, 5, 25].map(linear.position) == [0, 0.5, 1, 0, 1])
    let logarithmic = AxisScale.logarithmic(from: 1, to: 10_000)
    #expect([1, 100, 10_000, 0, -1, 1e9].map(logarithmic.position) == [0, 0.5, 1, 0, 0, 1])
    #expect(linear.position(.nan) == 0 && logarithmic.position(.nan) == 0)
    #expect(linear.position(.infinity) == 1 && logarithmic.position(.infinity) == 1)
  }

  @Test(
    "of impossible ends has a length and few marks",
    arguments: [
      (0.0, 0.0), (5, 5), (10, -10), (.nan, 1), (0, .nan), (-.infinity, .infinity), (0, .infinity),
      (1e300, 1e300), (1e18, 1e18 + 1), (0, .greatestFiniteMagnitude), (0, .leastNonzeroMagnitude),
      (-.greatestFiniteMagnitude, .greatestFiniteMagnitude),
    ] as [(Double, Double)])
  func impossibleEnds(lower: Double, upper: Double) {
    for scale in [
      AxisScale.linear(from: lower, to: upper), .logarithmic(from: lower, to: upper),
      .logarithmic(covering: [lower, upper], atLeast: 100),
    ] {
      #expect(scale.upper > scale.lower && scale.lower.isFinite && scale.upper.isFinite)
      let ticks = scale.ticks().map(\.value)
      #expect(ticks.count <= 80 && ticks.allSatisfy { $0.isFinite })
      #expect(ticks == ticks.sorted())
      #expect(ticks.allSatisfy { (0...1).contains(scale.position($0)) })
    }
  }
}

@Suite("Numbers in plots and tables")
struct NumberTextTests {
  @Test("have the requested digits")
  func decimals() {
    #expect(NumberText.decimal(1.005, digits: 1) == "1.0")
    #expect(NumberText.decimal(0.05, digits: 2) == "0.05")
    #expect(NumberText.decimal(-2.5, digits: 1) == "-2.5")
    #expect(NumberText.decimal(-0.01, digits: 1) == "0.0")
    #expect(NumberText.decimal(99.99, digits: 0) == "100")
    #expect(NumberText.shortDecimal(1.5, digits: 3) == "1.5")
    #expect(NumberText.shortDecimal(100, digits: 3) == "100")
    #expect(NumberText.shortDecimal(0, digits: 1) == "0")
  }

  @Test("have a unit that suits them")
  func times() {
    let texts = [0, 950, 20_833, 1_333_333, 21_333_333, 2.5e9].map(NumberText.time(nanoseconds:))
    #expect(
      texts.map { $0.replacing("\u{A0}", with: " ") }
        == ["0 ns", "950 ns", "20.8 µs", "1.33 ms", "21.3 ms", "2.5 s"])
    #expect(NumberText.time(nanoseconds: 1.8e19) == "1.8e10\u{A0}s")
  }

  @Test("have separated thousands")
  func counts() {
    let texts = [0, 999, 1000, 1_234_567].map(NumberText.count)
    #expect(
      texts.map { $0.replacing("\u{A0}", with: " ") } == ["0", "999", "1 000", "1 234 567"])
    #expect(NumberText.shortCount(100_000_000) == "100\u{A0}000\u{A0}000")
    #expect(NumberText.shortCount(1e12) == "1e12" && NumberText.shortCount(.nan) == "–")
  }

  @Test("that are NaN are a dash, and huge ones stay short")
  func impossible() {
    #expect(NumberText.decimal(.nan, digits: 2) == "–")
    #expect(NumberText.percent(.infinity) == "–" && NumberText.rate(.nan) == "–")
    #expect(NumberText.time(nanoseconds: -.infinity) == "–")
    #expect(NumberText.decimal(1e300, digits: 6) == "1e+300")
    #expect(NumberText.shortDecimal(1e300, digits: 6) == "1e+300")
  }
}
