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

/// The problems of a file; empty if it can be read.
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
