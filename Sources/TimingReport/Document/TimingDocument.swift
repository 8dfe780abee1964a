// SPDX-License-Identifier: MIT

/// Measured runs and the machine that they ran on, for a file, a report, or a comparison.
///
/// It is `Codable`, and its JSON is stable: names do not change, and a change of meaning increments ``formatVersion``.
/// All measured times are integers, in nanoseconds, and their names end so.
public struct TimingDocument: Sendable, Equatable, Codable {
  /// The version that this program writes.
  public static let currentFormatVersion = 1

  /// The version of the file's format.
  public var formatVersion: Int
  /// The program and its arguments.
  public var command: String
  /// The machine at the start of the first run.
  public var machine: MachineFacts
  /// The runs, in the order in which they ran.
  public var runs: [TimingRun]
  /// The share of each period that a callback may take, if it was measured.
  public var sustainableLoads: [SustainableLoad] = []

  /// Creates a document of these runs.
  public init(command: String, machine: MachineFacts, runs: [TimingRun]) {
    formatVersion = Self.currentFormatVersion
    self.command = command
    self.machine = machine
    self.runs = runs
  }
}
