// SPDX-License-Identifier: MIT

/// Measured runs and the machine they ran on: what is kept in a file, shown in a report, and compared.
///
/// It is `Codable`, and its JSON is stable: names are not changed, and a change of meaning counts
/// ``formatVersion`` up. All times are integers, in nanoseconds, and their names end so.
public struct TimingDocument: Sendable, Equatable, Codable {
  /// The version that this program writes.
  public static let currentFormatVersion = 1

  /// Of the file's form.
  public var formatVersion: Int
  /// The program and its arguments.
  public var command: String
  /// The machine, when the first run began.
  public var machine: MachineFacts
  /// In the order in which they ran.
  public var runs: [TimingRun]
  /// How much of each period a callback may take, where that was measured.
  public var sustainableLoads: [SustainableLoad] = []

  /// A document of these runs.
  public init(command: String, machine: MachineFacts, runs: [TimingRun]) {
    formatVersion = Self.currentFormatVersion
    self.command = command
    self.machine = machine
    self.runs = runs
  }
}
