// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

@testable import JACKRemoteIO

@Suite("A request to keep the processors ready")
struct CPULatencyRequestTests {
  /// The kernel's effective value for all requests.
  private func told() -> Int32? {
    let descriptor = unsafe open(CPULatencyRequest.devicePath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var microseconds: Int32 = -1
    return unsafe read(descriptor, &microseconds, 4) == 4 ? microseconds : nil
  }

  @Test(
    "is in force only while it exists",
    .enabled(if: unsafe access(CPULatencyRequest.devicePath, R_OK | W_OK) == 0))
  func held() throws {
    let before = try #require(told())
    do {
      let request = try CPULatencyRequest(microseconds: 3)
      #expect(told() == min(3, before))
      do {
        let shorter = try CPULatencyRequest(microseconds: 0)
        #expect(told() == 0 && shorter.microseconds == 0)
      }
      #expect(told() == min(3, before) && request.microseconds == 3)
    }
    #expect(told() == before)
  }

  @Test("that the kernel refuses reports where, why and the remedy")
  func refused() {
    for (path, code) in [("/nonexistent", ENOENT), ("/dev", EISDIR), ("/dev/full", ENOSPC)] {
      #expect(throws: CPULatencyError(devicePath: path, code: code)) {
        _ = try CPULatencyRequest(microseconds: 0, devicePath: path)
      }
    }
    let text = CPULatencyError(devicePath: "/dev/x", code: EACCES).description
    #expect(text.hasPrefix("/dev/x: Permission denied: ") && text.contains("udev"))
    #expect(!text.contains("\n"))
  }
}
