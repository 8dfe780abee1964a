// SPDX-License-Identifier: MIT

extension TimingVerdict {
  private static let rightsLink = "https://jackaudio.org/faq/linux_rt_config.html"

  /// Returns findings about missing rights: real-time scheduling and locked memory.
  static func rightsFindings(_ runs: [TimingRun], _ machine: MachineFacts) -> [Finding] {
    let schedulings = runs.compactMap(\.scheduling)
    let other = schedulings.first { !$0.hasPrefix("SCHED_FIFO") && !$0.hasPrefix("SCHED_RR") }
    if let other {
      let fact = "The callback did not run in real time (\(other))."
      if machine.realtimePriorityLimit == 0 {
        return [
          Finding(
            fact: fact + " This user may not use real-time priorities: the rtprio limit is 0.",
            remedy:
              "Set rtprio to 95 and memlock to unlimited in /etc/security/limits.d, log in again, and start "
              + "the JACK server with -R.", link: rightsLink)
        ]
      }
      return [
        Finding(
          fact: fact, remedy: "Start the JACK server in real time: jackd -R.", link: rightsLink)
      ]
    }
    guard runs.contains(where: { $0.locksMemory == false }) else { return [] }
    let limit = machine.lockableBytes.map { " The limit is \(NumberText.count($0)) bytes." } ?? ""
    return [
      Finding(
        fact: "The program could not lock its memory, so the system may swap it out." + limit,
        remedy: "Set memlock to unlimited in /etc/security/limits.d, and log in again.",
        link: rightsLink)
    ]
  }

  /// Returns explanations of the causes that occurred, the most frequent one first.
  static func causeFindings(
    _ runs: [TimingRun], _ count: CycleCount, _ machine: MachineFacts
  ) -> [Finding] {
    let isLate = [CycleCause.wokenLate, .preempted, .server].contains { count.count(of: $0) > 0 }
    var findings = isLate ? machineFindings(machine) : []
    let slowest = count.slowNodes.first?.name
    for (cause, count) in count.causes {
      switch cause {
      case .overBudget: findings.append(budgetFinding(runs, count, slowest))
      case .starved:
        findings.append(
          Finding(
            fact: "The network, the disk or the decoder was too slow \(times(count)).",
            remedy: "Use a longer --buffer."))
      case .stopped:
        findings.append(
          Finding(
            fact: "The program was stopped \(times(count)), by a signal, a freezer or a debugger.",
            remedy: "Measure again without that."))
      case .server:
        findings.append(
          Finding(
            fact:
              "The JACK server was late \(times(count)): its driver, the sound device or another client.",
            remedy: "Read what jackd prints. Use a longer period (-p) or one more (-n 3)."))
      case .wokenLate, .preempted: break
      }
    }
    return findings
  }

  private static func times(_ count: UInt64) -> String {
    count == 1 ? "once" : "\(NumberText.count(count)) times"
  }

  private static func budgetFinding(
    _ runs: [TimingRun], _ count: UInt64, _ slowest: String?
  ) -> Finding {
    let share = runs.map(\.dspLoad).max() ?? 0
    let fact =
      "The callback took too long \(times(count))"
      + (slowest.map { ", most often in '\($0)'" } ?? "")
      + ". On average it took \(NumberText.percent(share)) of a period."
    let remedy =
      slowest == nil || slowest == "sources"
      ? "Use a longer period (jackd -p), --decode ahead or a lower --resampler quality."
      : "Use a longer period (jackd -p), or do without that effect."
    return Finding(fact: fact, remedy: remedy)
  }

  /// Returns findings about properties of the machine that delay threads.
  private static func machineFindings(_ machine: MachineFacts) -> [Finding] {
    var findings: [Finding] = []
    if let steal = machine.stealNanosecondsPerSecond, steal >= 1_000_000 {
      let time = NumberText.time(nanoseconds: Double(steal))
      findings.append(
        Finding(
          fact: "The host of this virtual machine took \(time) of each second and processor.",
          remedy: "Measure on a machine that shares no processor.",
          link: "https://man7.org/linux/man-pages/man5/proc_stat.5.html"))
    }
    if let stalls = machine.stalls, stalls.longestNanoseconds > 200_000 {
      let time = NumberText.time(nanoseconds: Double(stalls.longestNanoseconds))
      findings.append(
        Finding(
          fact:
            "The machine itself stood still for up to \(time): its firmware, its interrupts or its host.",
          remedy: machine.isVirtual == true
            ? "Measure on a machine that is not virtual."
            : "Switch off power saving in the firmware's settings.",
          link: "https://docs.kernel.org/trace/hwlat_detector.html"))
    }
    if let governor = machine.governor, governor != "performance" {
      findings.append(
        Finding(
          fact: "The frequency governor is \(governor).",
          remedy: "Choose another one: cpupower frequency-set -g performance.",
          link: "https://docs.kernel.org/admin-guide/pm/cpufreq.html"))
    }
    if let latency = machine.cpuLatencyMicroseconds, latency < 0 || latency > 100 {
      findings.append(
        Finding(
          fact: "Processors may sleep deeply, and then wake up slowly.",
          remedy: "Try --cpu-dma-latency 0.",
          link: "https://docs.kernel.org/power/pm_qos_interface.html"))
    }
    if let preemption = machine.preemption, ["none", "voluntary"].contains(preemption) {
      findings.append(
        Finding(
          fact: "The kernel's preemption is \(preemption), so the kernel can delay threads.",
          remedy: "Boot with preempt=full.",
          link: "https://docs.kernel.org/admin-guide/kernel-parameters.html"))
    }
    if let load = machine.loadAverages.first, load > Double(machine.processors) {
      findings.append(
        Finding(
          fact:
            "The machine was busy: a load average of \(NumberText.decimal(load, digits: 1)) for "
            + "\(machine.processors) processors.", remedy: "End other programs."))
    }
    return findings
  }
}
