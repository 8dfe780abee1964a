// SPDX-License-Identifier: MIT

/// What a machine was like when something was measured on it: figures are worth nothing without.
///
/// A fact that the machine does not tell is nil.
public struct MachineFacts: Sendable, Equatable, Codable {
  /// `uname -srvm`.
  public var kernel: String
  /// `PRETTY_NAME` of os-release(5).
  public var system: String?
  /// The processor's model.
  public var processor: String?
  /// Processors that this process may run on.
  public var processors: Int
  /// The hypervisor bit of the processor.
  public var isVirtual: Bool?
  /// Frequency governor of the first processor.
  public var governor: String?
  /// How long a processor that sleeps may take to wake up, as all programs together ask for
  /// (`/dev/cpu_dma_latency`); -1 when there is no limit.
  public var cpuLatencyMicroseconds: Int?
  /// How the kernel preempts itself: the chosen one of `preempt`.
  public var preemption: String?
  /// Of each second, microseconds that real-time threads may run; -1 when there is no limit.
  public var realtimeRuntimeMicroseconds: Int?
  /// Bytes that a process may lock; nil when unlimited, as with `CAP_IPC_LOCK`.
  public var lockableBytes: UInt64?
  /// Greatest real-time priority that a process may ask for: 99 with `CAP_SYS_NICE`.
  public var realtimePriorityLimit: Int?
  /// Load averages of 1, 5 and 15 minutes at the start.
  public var loadAverages: [Double]
  /// Nanoseconds per second and processor that the host took while the runs went on; nil when not virtual.
  public var stealNanosecondsPerSecond: UInt64?
  /// How often it stood still by itself between the runs; nil where that was not looked for.
  public var stalls: MachineStalls?
  /// The time at which these facts were read, in UTC, such as `2026-11-30 10:34:05`.
  public var date: String?
  /// The sound cards that the kernel has, such as `HDA Intel PCH`; nil without ALSA.
  public var soundCards: [String]?
  /// The program's version.
  public var programVersion: String?

  /// Facts of which only these are known.
  public init(kernel: String, processors: Int, loadAverages: [Double]) {
    self.kernel = kernel
    self.processors = processors
    self.loadAverages = loadAverages
  }

  /// The date and the machine in one line.
  var summary: String {
    var parts = [date.map { $0 + " UTC" }, system, processor].compactMap(\.self)
    parts.append(processors == 1 ? "1 processor" : "\(processors) processors")
    if isVirtual == true { parts.append("virtual machine") }
    return parts.joined(separator: ", ")
  }
}
