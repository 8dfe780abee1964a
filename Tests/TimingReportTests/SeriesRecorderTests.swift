// SPDX-License-Identifier: MIT

import Testing

@testable import TimingReport

@Suite("A series of cycles")
struct SeriesRecorderTests {
  private func timing(late: UInt64, duration: UInt64) -> CycleTiming {
    CycleTiming(
      periodNanoseconds: 1_333_333, serverLatenessNanoseconds: late, wakeNanoseconds: 0,
      durationNanoseconds: duration)
  }

  @Test("keeps the largest values of each stretch of time")
  func greatest() {
    var recorder = SeriesRecorder()
    recorder.add(timing(late: 5, duration: 70), timeNanoseconds: 1_000_000)
    recorder.add(timing(late: 90, duration: 20), timeNanoseconds: 3_000_000)
    recorder.add(timing(late: 1, duration: 2), timeNanoseconds: 12_000_000)
    #expect(
      recorder.series.points == [
        TimingSeries.Point(timeNanoseconds: 0, latenessNanoseconds: 90, durationNanoseconds: 70),
        TimingSeries.Point(
          timeNanoseconds: 10_000_000, latenessNanoseconds: 1, durationNanoseconds: 2),
      ])
  }

  @Test(
    "does not grow with the run, covers all of it, and keeps its largest value",
    arguments: [
      10_000_000, 1_333_333, 700_000_000,
    ])
  func bounded(step: UInt64) throws {
    var recorder = SeriesRecorder()
    let count: UInt64 = 20_000
    for index in 0..<count {
      recorder.add(
        timing(late: index == 7777 ? 1_000_000 : 3, duration: 4), timeNanoseconds: index * step)
    }
    let points = recorder.series.points
    #expect(points.count <= TimingSeries.maximumPoints && points.count > 200)
    #expect(points.map(\.latenessNanoseconds).max() == 1_000_000)
    let times = points.map(\.timeNanoseconds)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    let last = try #require(times.last)
    #expect(last <= (count - 1) * step && (count - 1) * step - last < count * step / 100)
  }

  @Test("marks every bad cycle while it has room")
  func marks() {
    var recorder = SeriesRecorder()
    let expected = (0..<UInt64(TimingSeries.maximumMarks)).map {
      TimingSeries.Mark(timeNanoseconds: $0 * 1_333_333, cause: $0 % 2 == 0 ? .server : .starved)
    }
    for mark in expected { recorder.mark(mark.cause, timeNanoseconds: mark.timeNanoseconds) }
    #expect(recorder.series.marks == expected)
  }

  @Test(
    "marks bad cycles of each cause to the end of the run, however many there are",
    arguments: [1025, 30_000, 450_000])
  func manyMarks(_ count: UInt64) {
    var recorder = SeriesRecorder()
    let step: UInt64 = 1_333_333
    for index in 0..<count {
      recorder.mark(.server, timeNanoseconds: index * step)
      if index == count - 1 || index == count / 2 {
        recorder.mark(.overBudget, timeNanoseconds: index * step)
      }
    }
    let marks = recorder.series.marks
    let server = marks.filter { $0.cause == .server }.map(\.timeNanoseconds)
    let own = marks.filter { $0.cause == .overBudget }.map(\.timeNanoseconds)
    #expect(marks.count <= TimingSeries.maximumMarks)
    #expect(server.count > TimingSeries.maximumMarks / 4)
    #expect(own == [count / 2 * step, (count - 1) * step])
    #expect(server.first == 0)
    let gaps = zip(server, server.dropFirst() + [count * step]).map { $1 - $0 }
    #expect(gaps.allSatisfy { $0 <= count * step / 100 })
  }
}
