// SPDX-License-Identifier: MIT

import Equalizers

/// Reads a file that is written in a test.
func read(
  _ text: String, limits: EqualizerCurve.Limits = EqualizerCurve.Limits(), named name: String = "",
  including includer: EqualizerIncluder? = nil
) throws(EqualizerError) -> EqualizerCurve {
  try read(Array(text.utf8), limits: limits, named: name, including: includer)
}

func read(
  _ bytes: [UInt8], limits: EqualizerCurve.Limits = EqualizerCurve.Limits(),
  named name: String = "", including includer: EqualizerIncluder? = nil
) throws(EqualizerError) -> EqualizerCurve {
  try EqualizerCurve(parsing: bytes.span, named: name, limits: limits, including: includer)
}

/// The problems of a file; empty for one that can be read.
func problems(
  _ text: String, limits: EqualizerCurve.Limits = EqualizerCurve.Limits(), named name: String = "",
  including includer: EqualizerIncluder? = nil
) -> [EqualizerProblem] {
  do throws(EqualizerError) {
    _ = try read(text, limits: limits, named: name, including: includer)
    return []
  } catch {
    return error.problems
  }
}

/// The only filter of a file of one line.
func filter(_ line: String) throws -> EqualizerFilter? {
  try read(line).filters.first
}

/// A small generator of the same numbers on every run.
struct Random: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
