// SPDX-License-Identifier: MIT

/// The state of a machine during a measurement, without which figures have no meaning.
///
/// A fact that the machine does not report is nil.
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
  /// The maximum wake-up time of a sleeping processor, as requested by all programs together (`/dev/cpu_dma_latency`);
  /// -1 if there is no limit.
  public var cpuLatencyMicroseconds: Int?
  /// The kernel's preemption model: the chosen one of `preempt`.
  public var preemption: String?
  /// Microseconds of each second that real-time threads may run; -1 if there is no limit.
  public var realtimeRuntimeMicroseconds: Int?
  /// Bytes that a process may lock; nil if unlimited, as with `CAP_IPC_LOCK`.
  public var lockableBytes: UInt64?
  /// The greatest real-time priority that a process may request: 99 with `CAP_SYS_NICE`.
  public var realtimePriorityLimit: Int?
  /// Load averages of 1, 5 and 15 minutes at the start.
  public var loadAverages: [Double]
  /// Nanoseconds per second and processor that the host took during the runs; nil if the kernel does not report them.
  public var stealNanosecondsPerSecond: UInt64?
  /// The stalls of the machine itself between the runs; nil if they were not measured.
  public var stalls: MachineStalls?
  /// The time at which these facts were read, in UTC, such as `2026-11-30 10:34:05`.
  public var date: String?
  /// The sound cards that the kernel has, such as `HDA Intel PCH`; nil without ALSA.
  public var soundCards: [String]?
  /// The program's version.
  public var programVersion: String?

  /// Creates facts of which only these are known.
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
