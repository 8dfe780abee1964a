// SPDX-License-Identifier: MIT

import Equalizers
import Glibc
import TestKit
import Testing

/// Filters the impulse of one frame with a program, and compares the spectrum of the result.
enum Tool: String {
  case sox, ffmpeg

  var isInstalled: Bool {
    unsafe system("command -v \(rawValue) >/dev/null 2>&1") == 0
  }

  static let rate = 48_000.0
  /// The length in frames, enough for the decay of the tests' filters.
  static let frames = 65_536

  /// Returns the response to an impulse of 0.25, divided by that.
  func impulseResponse(_ effect: String) throws -> [Double] {
    let workshop = Workshop()
    let impulse = [0.25] + [Double](repeating: 0, count: Self.frames - 1)
    try workshop.write(impulse.flatMap { Self.bytes(of: $0) }, "in")
    switch self {
    case .sox: try workshop.run("sox -D -t f64 -r 48000 -c 1 in -t f64 out \(effect)")
    case .ffmpeg:
      try workshop.run(
        "ffmpeg -nostdin -v error -f f64le -ar 48000 -ac 1 -i in -af \(effect) -f f64le out")
    }
    let response = try workshop.read("out")
    return stride(from: 0, to: response.count - 7, by: 8).map { 4 * Self.value(response[$0...]) }
  }

  private static func bytes(of value: Double) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) }
  }

  private static func value(_ bytes: ArraySlice<UInt8>) -> Double {
    Double(bitPattern: bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// The gain in dB at a frequency, by the definition of the Fourier transform.
  static func gain(of response: [Double], at frequency: Double) -> Double {
    var sum = Number(0)
    let step = 2 * Double.pi * frequency / rate
    for (frame, value) in response.enumerated() where value != 0 {
      sum = sum + Number(value * cos(step * Double(frame)), -value * sin(step * Double(frame)))
    }
    return sum.decibels
  }
}

@Suite("Another program's filter")
struct ToolTests {
  static let sox = [
    ("equalizer 1000 1.5q -6", "PK Fc 1000 Hz Gain -6 dB Q 1.5"),
    ("equalizer 8865 1.3q 4.9", "PK Fc 8865 Hz Gain 4.9 dB Q 1.3"),
    ("bass 6.4 105 0.7q", "LSC Fc 105 Hz Gain 6.4 dB Q 0.7"),
    ("treble -6 10000 0.7q", "HSC Fc 10000 Hz Gain -6 dB Q 0.7"),
    ("lowpass -2 3000 0.8q", "LPQ Fc 3000 Hz Q 0.8"),
    ("highpass -2 200 0.8q", "HPQ Fc 200 Hz Q 0.8"),
    ("bandpass 1000 2q", "BP Fc 1000 Hz Q 2"),
    ("bandreject 1000 2q", "NO Fc 1000 Hz Q 2"),
    ("allpass 1000 2q", "AP Fc 1000 Hz Q 2"),
  ]

  static let ffmpeg = [
    ("equalizer=f=1000:t=q:w=1.5:g=-6", "PK Fc 1000 Hz Gain -6 dB Q 1.5"),
    ("equalizer=f=12000:t=o:w=1.5:g=5", "PK Fc 12000 Hz Gain 5 dB BW Oct 1.5"),
    ("lowshelf=f=105:t=q:w=0.7:g=6.4", "LSC Fc 105 Hz Gain 6.4 dB Q 0.7"),
    ("highshelf=f=10000:t=q:w=0.7:g=-6", "HSC Fc 10000 Hz Gain -6 dB Q 0.7"),
    ("lowshelf=f=300:t=s:w=0.9:g=5", "LS Fc 300 Hz Gain 5 dB"),
    ("highshelf=f=3000:t=s:w=0.5:g=5", "HSC 6 dB Fc 3000 Hz Gain 5 dB"),
    ("lowpass=f=3000:t=q:w=0.8", "LPQ Fc 3000 Hz Q 0.8"),
    ("highpass=f=200:t=q:w=0.8", "HPQ Fc 200 Hz Q 0.8"),
    ("bandpass=f=1000:t=q:w=2", "BP Fc 1000 Hz Q 2"),
    ("bandreject=f=1000:t=q:w=2", "NO Fc 1000 Hz Q 2"),
    ("allpass=f=1000:t=q:w=2", "AP Fc 1000 Hz Q 2"),
    (
      "biquad=b0=0.0380602:b1=0.0761205:b2=0.0380602:a0=1.2706:a1=-1.84776:a2=0.729402",
      "IIR Order 2 Coefficients 0.0380602 0.0761205 0.0380602 1.2706 -1.84776 0.729402"
    ),
  ]

  func compare(_ tool: Tool, _ effect: String, _ line: String) throws {
    let impulse = try tool.impulseResponse(effect)
    let curve = try read("Filter: ON \(line)")
    for frequency in [0.0, 20, 100, 150, 300, 900, 1100, 3000, 8000, 12_000, 20_000] {
      let expected = Tool.gain(of: impulse, at: frequency)
      let found = try curve.response(atHertz: frequency, sampleRate: Tool.rate).gainDecibels
      // sox computes with 32-bit integers, so values far below full scale are not comparable.
      guard max(expected, found) > -60 else { continue }
      #expect(abs(expected - found) < 0.001, "\(frequency): \(expected) \(found)")
    }
  }

  @Test(
    "of sox has the same response", .enabled(if: Tool.sox.isInstalled, "sox is not installed"),
    arguments: sox)
  func matchesSox(_ effect: String, _ line: String) throws {
    try compare(.sox, effect, line)
  }

  @Test(
    "of ffmpeg has the same response",
    .enabled(if: Tool.ffmpeg.isInstalled, "ffmpeg is not installed"), arguments: ffmpeg)
  func matchesFFmpeg(_ effect: String, _ line: String) throws {
    try compare(.ffmpeg, effect, line)
  }
}
