// SPDX-License-Identifier: MIT

internal import AudioModel

/// The problems of an equaliser file that was refused.
public struct EqualizerError: Error, Hashable, Sendable {
  /// The problems, in the order of their lines; at least one. At most one is listed for a line.
  public var problems: [EqualizerProblem]
  /// The number of further problems, beyond ``EqualizerCurve/Limits/problems``.
  public var unlistedProblemCount: Int

  /// Creates an error of these problems.
  public init(_ problems: [EqualizerProblem], unlistedProblemCount: Int = 0) {
    self.problems = problems
    self.unlistedProblemCount = unlistedProblemCount
  }
}

extension EqualizerError: CustomStringConvertible {
  /// The first problem and the number of the others, in one line.
  public var description: String {
    let others = problems.count - 1 + unlistedProblemCount
    let first = problems.first?.description ?? "no problem"
    return (others > 0 ? "\(first) (and \(others) more)" : first).asMessage
  }
}
