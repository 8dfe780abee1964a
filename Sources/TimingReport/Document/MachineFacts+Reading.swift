// SPDX-License-Identifier: MIT

internal import Glibc

extension MachineFacts {
  /// Reads the facts of this machine, as this process sees them. Facts that cannot be read are nil, and
  /// ``stealNanosecondsPerSecond`` is left to a ``StealMeter``.
  ///
  /// Not for the render thread: it reads files.
  ///
  /// - Parameter programVersion: the version of the program that measures.
  public static func current(programVersion: String? = nil) -> MachineFacts {
    let names = kernelNames()
    var facts = MachineFacts(
      kernel: names.joined(separator: " "),
      processors: SystemText.read("/proc/self/status").flatMap(usableProcessors(status:))
        ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))),
      loadAverages: SystemText.read("/proc/loadavg").map(loadAverages(loadavg:)) ?? [])
    let osRelease = SystemText.read("/etc/os-release") ?? SystemText.read("/usr/lib/os-release")
    facts.system = osRelease.flatMap(systemName(osRelease:))
    if let cpuinfo = SystemText.read("/proc/cpuinfo") {
      facts.processor = processorModel(cpuinfo: cpuinfo)
      facts.isVirtual = isVirtual(cpuinfo: cpuinfo)
    }
    facts.governor = SystemText.read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
      .flatMap(SystemText.firstLine)
    facts.cpuLatencyMicroseconds = cpuLatency().map(
      Self.cpuLatencyMicroseconds)
    facts.preemption =
      SystemText.read("/sys/kernel/debug/sched/preempt").flatMap(chosenPreemption(_:))
      ?? preemption(kernelVersion: names.count > 2 ? names[2] : "")
    facts.realtimeRuntimeMicroseconds = realtimeRuntimeMicroseconds(
      runtime: SystemText.read("/proc/sys/kernel/sched_rt_runtime_us") ?? "",
      period: SystemText.read("/proc/sys/kernel/sched_rt_period_us") ?? "")
    let capabilities = SystemText.read("/proc/self/status").flatMap(capabilities(status:)) ?? []
    if !capabilities.contains(.lockMemory) {
      facts.lockableBytes = limit(__RLIMIT_MEMLOCK).flatMap { $0 == .max ? nil : $0 }
    }
    facts.realtimePriorityLimit =
      capabilities.contains(.setPriorities) ? 99 : limit(__RLIMIT_RTPRIO).map { Int(min($0, 99)) }
    facts.date = date(of: unsafe time(nil))
    facts.soundCards = SystemText.read("/proc/asound/cards").map(soundCards(cards:))
    facts.programVersion = programVersion
    return facts
  }

  /// Returns a time in UTC, such as `2026-11-30 10:34:05`.
  static func date(of seconds: time_t) -> String? {
    var seconds = seconds
    var date = unsafe tm()
    var text = [CChar](repeating: 0, count: 32)
    guard unsafe gmtime_r(&seconds, &date) != nil,
      unsafe strftime(&text, text.count, "%Y-%m-%d %H:%M:%S", &date) > 0
    else { return nil }
    return unsafe String(cString: text)
  }

  /// Returns the names in /proc/asound/cards, such as `HDA Intel PCH` of ` 0 [PCH ]: HDA-Intel - HDA Intel PCH`. The
  /// second line of each card contains none.
  static func soundCards(cards text: String) -> [String] {
    text.split(whereSeparator: \.isNewline).compactMap { line in
      guard let name = line.firstRange(of: "]: "),
        let separator = line[name.upperBound...].firstRange(of: " - ")
      else { return nil }
      return String(line[separator.upperBound...])
    }
  }

  /// Returns `PRETTY_NAME` of os-release(5), without its quotes and escapes.
  static func systemName(osRelease text: String) -> String? {
    for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("PRETTY_NAME=") {
      var value = line.dropFirst("PRETTY_NAME=".count)
      if let quote = value.first, quote == "\"" || quote == "'", value.count > 1,
        value.last == quote
      {
        value = value.dropFirst().dropLast()
      }
      var name = ""
      var isEscaped = false
      for character in value {
        if character == "\\", !isEscaped {
          isEscaped = true
        } else {
          name.append(character)
          isEscaped = false
        }
      }
      return name.isEmpty ? nil : name
    }
    return nil
  }

  /// Returns the first processor's model. An ARM kernel lists only numbers, which are not used as a name.
  static func processorModel(cpuinfo text: String) -> String? {
    SystemText.value(of: "model name", in: text) ?? SystemText.value(of: "Model", in: text)
  }

  /// Returns true if the processor has the flag of a hypervisor; nil if no flags are listed.
  static func isVirtual(cpuinfo text: String) -> Bool? {
    SystemText.value(of: "flags", in: text).map { $0.split(separator: " ").contains("hypervisor") }
  }

  /// Returns the word in parentheses, as in `none voluntary (full)`.
  static func chosenPreemption(_ text: String) -> String? {
    guard let open = text.firstIndex(of: "("),
      let close = text[open...].firstIndex(of: ")")
    else { return nil }
    let name = text[text.index(after: open)..<close]
    return name.isEmpty ? nil : String(name)
  }

  /// Returns the preemption model in `uname -v`. A kernel that states none may preempt itself at chosen points, or not
  /// at all.
  static func preemption(kernelVersion: String) -> String? {
    let names = ["PREEMPT_RT", "PREEMPT_DYNAMIC", "PREEMPT_LAZY", "PREEMPT"]
    let words = kernelVersion.split(separator: " ")
    return names.first { name in words.contains { $0 == name } }
  }

  /// Returns the limit in the kernel's device, which is a number and not a text; nil if it may not be read.
  private static func cpuLatency() -> Int32? {
    let descriptor = unsafe open("/dev/cpu_dma_latency", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var microseconds: Int32 = 0
    let count = unsafe read(descriptor, &microseconds, MemoryLayout<Int32>.size)
    return count == MemoryLayout<Int32>.size ? microseconds : nil
  }

  /// Returns -1 for the default, which the kernel reports if no program has requested less.
  static func cpuLatencyMicroseconds(told: Int32) -> Int {
    (0..<2_000_000_000).contains(told) ? Int(told) : -1
  }

  /// Returns microseconds of each second, from the time in each period; -1 if there is no limit.
  static func realtimeRuntimeMicroseconds(runtime: String, period: String) -> Int? {
    guard let runtime = SystemText.firstLine(runtime).flatMap(Int.init) else { return nil }
    guard runtime >= 0 else { return -1 }
    guard let period = SystemText.firstLine(period).flatMap(Int.init), period > 0 else {
      return nil
    }
    let share = min(1, Double(runtime) / Double(period))
    return Int((share * 1_000_000).rounded())
  }

  /// Returns the number of processors in the mask of `/proc/self/status`, such as `f,ffffffff`; nil if it is none.
  static func usableProcessors(status text: String) -> Int? {
    guard let mask = SystemText.value(of: "Cpus_allowed", in: text) else { return nil }
    var count = 0
    for digit in mask where digit != "," {
      guard let value = digit.hexDigitValue else { return nil }
      count += value.nonzeroBitCount
    }
    return count > 0 ? count : nil
  }

  /// Capabilities that exceed a process's limits, as <linux/capability.h> numbers them.
  struct Capabilities: OptionSet {
    let rawValue: UInt64
    /// `CAP_IPC_LOCK`.
    static let lockMemory = Capabilities(rawValue: 1 << 14)
    /// `CAP_SYS_NICE`.
    static let setPriorities = Capabilities(rawValue: 1 << 23)
  }

  /// Returns the effective capabilities in `/proc/self/status`; nil if they are missing.
  static func capabilities(status text: String) -> Capabilities? {
    SystemText.value(of: "CapEff", in: text).flatMap { UInt64($0, radix: 16) }
      .map(Capabilities.init(rawValue:))
  }

  /// Returns the first three numbers of `/proc/loadavg`.
  static func loadAverages(loadavg text: String) -> [Double] {
    let numbers = text.split(separator: " ").prefix(3).compactMap { Double($0) }
    return numbers.count == 3 && numbers.allSatisfy(\.isFinite) ? numbers : []
  }

  /// Returns system, release, version and machine.
  private static func kernelNames() -> [String] {
    var names = utsname()
    guard unsafe uname(&names) == 0 else { return [] }
    return [
      text(of: names.sysname), text(of: names.release), text(of: names.version),
      text(of: names.machine),
    ]
  }

  /// Returns the text in an array of C characters.
  private static func text<Characters>(of characters: Characters) -> String {
    unsafe withUnsafeBytes(of: characters) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  private static func limit(_ resource: __rlimit_resource) -> UInt64? {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 else { return nil }
    return UInt64(limit.rlim_cur)
  }
}
