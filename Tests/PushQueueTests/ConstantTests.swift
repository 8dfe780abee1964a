// SPDX-License-Identifier: MIT

import AudioModel
import Testing

@testable import PushQueue

@Suite("4.1 AudioQueue constants")
struct AudioQueueConstantTests {
  @Test("Errors carry Core Audio's numbers")
  func errors() {
    let codes: [(AudioQueueError.Code, Int32)] = [
      (.invalidBuffer, -66687), (.bufferEmpty, -66686), (.disposalPending, -66685),
      (.invalidProperty, -66684), (.invalidPropertySize, -66683), (.invalidParameter, -66682),
      (.cannotStart, -66681), (.invalidDevice, -66680), (.bufferInQueue, -66679),
      (.invalidRunState, -66678), (.invalidQueueType, -66677), (.permissions, -66676),
      (.invalidPropertyValue, -66675), (.primeTimedOut, -66674), (.codecNotFound, -66673),
      (.invalidCodecAccess, -66672), (.queueInvalidated, -66671), (.tooManyTaps, -66670),
      (.invalidTapContext, -66669), (.recordUnderrun, -66668), (.invalidTapType, -66667),
      (.bufferEnqueuedTwice, -66666), (.cannotStartYet, -66665), (.enqueueDuringReset, -66632),
      (.invalidOfflineMode, -66626), (.parameterError, -50), (.stopped, 0x7374_6F70),
      (.formatNotSupported, 0x666D_743F),
    ]
    for (code, status) in codes { #expect(AudioQueueError(code, "").status == status) }
  }

  @Test("Properties have the codes of their four characters")
  func properties() {
    let codes: [(AudioQueueProperty, String)] = [
      (.isRunning, "aqrn"), (.deviceSampleRate, "aqsr"), (.deviceNumberChannels, "aqdc"),
      (.currentDevice, "aqcd"), (.magicCookie, "aqmc"), (.maximumOutputPacketSize, "xops"),
      (.streamDescription, "aqft"), (.channelLayout, "aqcl"), (.enableLevelMetering, "aqme"),
      (.currentLevelMeter, "aqmv"), (.currentLevelMeterDB, "aqmd"),
      (.decodeBufferSizeFrames, "dcbf"), (.converterError, "qcve"), (.enableTimePitch, "q_tp"),
      (.timePitchAlgorithm, "qtpa"), (.timePitchBypass, "qtpb"),
    ]
    for (property, text) in codes { #expect(property.rawValue == FourCharacterCode(text)) }
    #expect(AudioQueueTimePitchAlgorithm.allCases.map(\.code) == ["spec", "tido", "vspd"])
  }

  @Test("Parameters have Core Audio's numbers, ranges and first values")
  func parameters() {
    #expect(AudioQueueParameter.allCases.map(\.rawValue) == [1, 2, 3, 4, 13])
    #expect(AudioQueueParameter.volume.range == 0...1)
    #expect(AudioQueueParameter.playRate.range == 0.5...2)
    #expect(AudioQueueParameter.pitch.range == -2400...2400)
    #expect(AudioQueueParameter.pan.range == -1...1)
    #expect(AudioQueueParameter.allCases.map(\.defaultValue) == [1, 1, 0, 0, 0])
  }
}
