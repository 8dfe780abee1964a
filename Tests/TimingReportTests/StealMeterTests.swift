// SPDX-License-Identifier: MIT

import Testing

@testable import TimingReport

@Suite("A steal meter")
struct StealMeterTests {
  private func reading(ticks: UInt64, seconds: UInt64, processors: Int = 2) -> StealMeter.Reading? {
    var text = "cpu  3776294 2997 419686 1588479 14502 0 3975 \(ticks) 0 0\n"
    for processor in 0..<processors { text += "cpu\(processor) 1 2 3 4 5 6 7 8 9 10\n" }
    return StealMeter.reading(
      stat: text + "intr 12345 0 9\ncpu3 1\n", timeNanoseconds: seconds * 1_000_000_000)
  }

  private func share(_ begin: StealMeter.Reading?, _ end: StealMeter.Reading?) throws -> UInt64? {
    try StealMeter.nanosecondsPerSecond(
      from: #require(begin), to: #require(end), ticksPerSecond: 100)
  }

  @Test("measures the host's share of each second and processor")
  func share() throws {
    // 40 ticks of 10 ms in 10 s of two processors.
    let begin = reading(ticks: 1000, seconds: 5)
    #expect(try share(begin, reading(ticks: 1040, seconds: 15)) == 20_000_000)
    #expect(try share(begin, reading(ticks: 1000, seconds: 15)) == 0)
  }

  @Test("handles a count that goes back, no elapsed time, and an impossible count")
  func oddReadings() throws {
    let begin = reading(ticks: 1000, seconds: 5)
    #expect(try share(begin, reading(ticks: 900, seconds: 15)) == 0)
    #expect(try share(begin, reading(ticks: 1001, seconds: 5)) == nil)
    #expect(try share(begin, reading(ticks: .max, seconds: 15)) == 1_000_000_000)
    let twoReadings = (try #require(begin), try #require(reading(ticks: 1040, seconds: 15)))
    #expect(
      StealMeter.nanosecondsPerSecond(from: twoReadings.0, to: twoReadings.1, ticksPerSecond: 0)
        == nil)
  }

  @Test(
    "has no value if the kernel provides none",
    arguments: [
      "", "cpu 1 2 3 4\ncpu0 1 2 3 4\n", "cpu 1 2 3 4 5 6 7 x\ncpu0 1\n", "cpu 1 2 3 4 5 6 7 8\n",
    ])
  func nothing(text: String) {
    #expect(StealMeter.reading(stat: text, timeNanoseconds: 1) == nil)
  }

  @Test("reads this machine")
  func thisMachine() {
    let meter = StealMeter()
    let share = meter.stealNanosecondsPerSecond()
    #expect((share ?? 0) <= 1_000_000_000)
  }
}
