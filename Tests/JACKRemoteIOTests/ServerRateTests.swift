// SPDX-License-Identifier: MIT

import Synchronization
import Testing

@testable import JACKRemoteIO

@Suite("The rate that a JACK server reports")
struct ServerRateTests {
  @Test("is adopted, except for 0, which no renderer accepts")
  func zero() throws {
    let storage = try OutputStateStorage(outputs: 1, inputs: 0)
    let state = unsafe storage.state
    for (reported, rate) in [(48000, 48000), (0, 48000), (96000, 96000), (0, 96000)]
      as [(UInt32, UInt32)]
    {
      #expect(unsafe remoteIOSampleRate(reported, state) == 0)
      #expect(unsafe state.pointee.sampleRate.load(ordering: .relaxed) == rate)
    }
  }
}
