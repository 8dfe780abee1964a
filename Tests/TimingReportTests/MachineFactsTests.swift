// SPDX-License-Identifier: MIT

import Glibc
import Testing

@testable import TimingReport

@Suite("Machine facts")
struct MachineFactsTests {
  @Test("name the system by its pretty name, without quotes and escapes")
  func systemName() {
    let text = "NAME=\"Debian\"\nPRETTY_NAME=\"Debian \\\"GNU\\\" \\\\ 12\"\nID=debian\n"
    #expect(MachineFacts.systemName(osRelease: text) == "Debian \"GNU\" \\ 12")
    #expect(MachineFacts.systemName(osRelease: "PRETTY_NAME=Plain") == "Plain")
    #expect(MachineFacts.systemName(osRelease: "PRETTY_NAME='One'") == "One")
    for nothing in ["", "PRETTY_NAME=", "PRETTY_NAME=\"\"", "NAME=x", "\u{0}\u{0}"] {
      #expect(MachineFacts.systemName(osRelease: nothing) == nil)
    }
  }

  @Test("name the processor's model and whether it belongs to a hypervisor")
  func processor() {
    let text = """
      processor\t: 0
      model\t\t: 17
      model name\t: AMD EPYC: one
      flags\t\t: fpu hypervisor avx

      processor\t: 1
      model name\t: another
      """
    #expect(MachineFacts.processorModel(cpuinfo: text) == "AMD EPYC: one")
    #expect(MachineFacts.isVirtual(cpuinfo: text) == true)
    #expect(MachineFacts.isVirtual(cpuinfo: "flags : fpu hypervisors") == false)
    // A Raspberry Pi has no flags of that name.
    let board = "processor : 0\nFeatures : fp asimd\n\nModel : Raspberry Pi 4"
    #expect(MachineFacts.processorModel(cpuinfo: board) == "Raspberry Pi 4")
    #expect(MachineFacts.isVirtual(cpuinfo: board) == nil)
    #expect(MachineFacts.processorModel(cpuinfo: "model name") == nil)
  }

  @Test("list the sound cards, and have a date in UTC")
  func cardsAndDate() {
    let text = """
       0 [PCH            ]: HDA-Intel - HDA Intel PCH
                            HDA Intel PCH at 0xf7f10000 irq 31
       1 [USB            ]: USB-Audio - Scarlett 2i2 - USB
                            Focusrite Scarlett 2i2 at usb-0000:00:14.0-1, high speed
      """
    #expect(MachineFacts.soundCards(cards: text) == ["HDA Intel PCH", "Scarlett 2i2 - USB"])
    #expect(MachineFacts.soundCards(cards: "--- no soundcards ---\n") == [])
    #expect(MachineFacts.date(of: 1_796_034_845) == "2026-11-30 10:34:05")
    #expect(MachineFacts.current().date?.count == 19)
  }

  @Test("name the selected preemption mode, else the kernel's build option")
  func preemption() {
    #expect(MachineFacts.chosenPreemption("none voluntary (full) lazy\n") == "full")
    for nothing in ["", "full", "()", "full)", "(full"] {
      #expect(MachineFacts.chosenPreemption(nothing) == nil)
    }
    #expect(MachineFacts.preemption(kernelVersion: "#1 SMP PREEMPT_RT Debian") == "PREEMPT_RT")
    #expect(
      MachineFacts.preemption(kernelVersion: "#1 SMP PREEMPT_DYNAMIC @0") == "PREEMPT_DYNAMIC")
    #expect(MachineFacts.preemption(kernelVersion: "#1 SMP PREEMPT Mon") == "PREEMPT")
    #expect(MachineFacts.preemption(kernelVersion: "#1 SMP Mon") == nil)
  }

  @Test("state the time limit of real-time threads in microseconds of a second")
  func realtimeRuntime() {
    func microseconds(_ runtime: String, _ period: String) -> Int? {
      MachineFacts.realtimeRuntimeMicroseconds(runtime: runtime, period: period)
    }
    #expect(microseconds("950000\n", "1000000\n") == 950_000)
    #expect(microseconds("50000", "100000") == 500_000)
    #expect(microseconds("-1", "1000000") == -1)
    #expect(microseconds("9223372036854775807", "1") == 1_000_000)
    #expect(microseconds("950000", "0") == nil && microseconds("", "1") == nil)
    #expect(microseconds("99999999999999999999", "1") == nil)
  }

  @Test("state the limit of a processor's wake-up time, if there is one")
  func cpuLatency() {
    #expect(MachineFacts.cpuLatencyMicroseconds(told: 0) == 0)
    #expect(MachineFacts.cpuLatencyMicroseconds(told: 1_999_999_999) == 1_999_999_999)
    #expect(MachineFacts.cpuLatencyMicroseconds(told: 2_000_000_000) == -1)
    #expect(MachineFacts.cpuLatencyMicroseconds(told: -1) == -1)
  }

  @Test("count the processors of a mask")
  func processors() {
    func count(_ mask: String) -> Int? {
      MachineFacts.usableProcessors(status: "Name:\tx\nCpus_allowed:\t\(mask)\nMems_allowed:\tf\n")
    }
    #expect(count("3") == 2 && count("5,ffffffff") == 34)
    #expect(count("0") == nil && count("g") == nil && count("") == nil)
    #expect(MachineFacts.usableProcessors(status: "Cpus_allowed_list:\t0-1") == nil)
  }

  @Test("state whether the process may exceed its limits")
  func capabilities() {
    func read(_ mask: String) -> MachineFacts.Capabilities? {
      MachineFacts.capabilities(status: "Name:\tx\nCapEff:\t\(mask)\n")
    }
    #expect(read("0000000000000000") == [])
    #expect(read("0000000000800000") == .setPriorities)
    #expect(read("0000000000004000") == .lockMemory)
    #expect(read("000001ffffffffff")?.isSuperset(of: [.setPriorities, .lockMemory]) == true)
    #expect(read("x") == nil && MachineFacts.capabilities(status: "CapPrm:\t1\n") == nil)
  }

  @Test("have three load averages or none")
  func loadAverages() {
    #expect(
      MachineFacts.loadAverages(loadavg: "0.31 0.61 1.14 1/234 5678\n") == [0.31, 0.61, 1.14])
    for nothing in ["", "1 2", "nan 1 2", "a b c", "1 inf 3"] {
      #expect(MachineFacts.loadAverages(loadavg: nothing).isEmpty)
    }
  }

  @Test("of this machine exist")
  func current() {
    let facts = MachineFacts.current(programVersion: "drawbar 1")
    #expect(facts.kernel.hasPrefix("Linux "))
    #expect((1...sysconf(Int32(_SC_NPROCESSORS_CONF))).contains(facts.processors))
    #expect(facts.loadAverages.count == 3)
    #expect(facts.programVersion == "drawbar 1" && facts.stealNanosecondsPerSecond == nil)
  }

  @Test("are read from the beginnings of files only")
  func endlessFile() throws {
    let zeros = try #require(SystemText.read("/dev/zero"))
    #expect(zeros.utf8.count == 256 << 10)
    #expect(SystemText.read("/proc/self/no-such-file") == nil)
    #expect(SystemText.read("/proc") == nil)
  }
}
