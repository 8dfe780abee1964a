// SPDX-License-Identifier: MIT

import Glibc
import PacketParser
import Testing

/// The cost in time and memory of a hundred bytes with extreme claims.
@Suite(.serialized) struct HostileHeaderTests {
  @Test(
    "A hundred bytes that claim to be enormous take under 100 ms and under 16 MB",
    arguments: HostileHeader.all)
  func cost(_ header: HostileHeader) throws {
    for isFile in [true, false] {
      // Other tests use time and memory meanwhile, so the least of five runs counts.
      let costs = (0..<5).map { _ in cost { _ = parse(header.bytes, Feed(isFile: isFile)) } }
      #expect(costs.map(\.seconds).min()! < 0.1, "\(costs.map(\.seconds))")
      #expect(costs.map(\.megabytes).min()! < 16, "\(costs.map(\.megabytes))")
    }
  }

  @Test(
    "The result of a hundred hostile bytes does not depend on the slices, and any error has a reason",
    arguments: HostileHeader.all)
  func result(_ header: HostileHeader) {
    for isFile in [true, false] {
      let whole = parse(header.bytes, Feed(isFile: isFile))
      let sliced = parse(header.bytes, Feed(isFile: isFile, pieces: .of(1)))
      #expect(!whole.isEndless && !sliced.isEndless)
      #expect(sliced.error == whole.error)
      #expect(sliced.log.events == whole.log.events)
      if let error = whole.error {
        #expect(
          [.invalidFile, .unsupportedDataFormat, .unsupportedFileType, .notOptimized].contains(
            error.code))
      }
    }
  }

  @Test("The measurement detects used memory and time")
  func measure() {
    var bytes: [UInt8] = []
    let cost = cost {
      bytes = [UInt8](repeating: 1, count: 64 << 20)
      usleep(120_000)
    }
    #expect(bytes.count == 64 << 20)
    #expect(cost.megabytes > 48 && cost.seconds > 0.1)
  }

  /// The duration of `body` in seconds, and the growth of the process's peak memory in megabytes.
  private func cost(_ body: () -> Void) -> (seconds: Double, megabytes: Double) {
    resetPeak()
    let before = peakKilobytes()
    let clock = ContinuousClock()
    let took = clock.measure(body)
    let grown = peakKilobytes() - before
    return (
      Double(took.components.attoseconds) / 1e18 + Double(took.components.seconds),
      Double(grown) / 1024
    )
  }

  /// Resets the peak to the memory in use now (proc(5): clear_refs).
  private func resetPeak() {
    let descriptor = unsafe open("/proc/self/clear_refs", O_WRONLY)
    guard descriptor >= 0 else { return }
    _ = unsafe write(descriptor, "5", 1)
    close(descriptor)
  }

  private func peakKilobytes() -> Int {
    let lines = text(ofFile: "/proc/self/status").split(separator: "\n")
    let digits = lines.first { $0.hasPrefix("VmHWM:") }?.filter(\.isNumber) ?? ""
    return Int(digits) ?? 0
  }
}
