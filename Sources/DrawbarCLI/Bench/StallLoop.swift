// SPDX-License-Identifier: MIT

import ByteSources
import Glibc
import JACKRemoteIO
import Synchronization
import TimingReport

/// A loop that only reads the clock, on a thread with the highest permitted real-time priority.
enum StallLoop {
  /// Well below the time after which the kernel throttles real-time threads (`sched_rt_runtime_us`, 0.95 of each
  /// second).
  private static let burstNanoseconds: UInt64 = 1_000_000
  private static let pauseMicroseconds: UInt32 = 1000

  /// Measures for the given time in bursts, with pauses as long in between. Bursts in which the thread lost its
  /// processor do not count; the loop ends after twice the necessary number of bursts, even if less was measured.
  static func measure(nanoseconds: UInt64) -> MachineStalls {
    let stalls = Mutex(MachineStalls())
    let thread = JoinedThread(for: "the machine's stalls") {
      goBeforeOthers()
      var found = MachineStalls()
      // 0 is the calling thread.
      found.scheduling = ThreadScheduling(threadID: 0)?.text
      var bursts = 2 * (nanoseconds / burstNanoseconds + 1)
      while found.measuredNanoseconds < nanoseconds, bursts > 0 {
        burst(&found)
        bursts -= 1
        usleep(pauseMicroseconds)
      }
      stalls.withLock { $0 = found }
    }
    thread.join()
    return stalls.withLock { $0 }
  }

  private static func burst(_ stalls: inout MachineStalls) {
    let before = switches
    var found = MachineStalls()
    let begin = monotonicNanoseconds()
    var last = begin
    while last - begin < burstNanoseconds {
      let next = monotonicNanoseconds()
      found.add(gapNanoseconds: next - last)
      last = next
    }
    // Time taken by another thread is not a stall of the machine.
    guard switches == before else { return }
    found.add(measuredNanoseconds: last - begin)
    stalls.add(found)
  }

  /// Sets the highest permitted priority, so that no server's or client's thread takes the processor.
  private static func goBeforeOthers() {
    var limit = rlimit()
    unsafe getrlimit(__rlimit_resource_t(__RLIMIT_RTPRIO.rawValue), &limit)
    for priority in [sched_get_priority_max(SCHED_FIFO), Int32(clamping: limit.rlim_cur)] {
      var parameters = sched_param(sched_priority: priority)
      if unsafe pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) == 0 { return }
    }
  }

  /// getrusage(2): `RUSAGE_THREAD`, a name that Glibc's module does not have.
  private static let callingThread = __rusage_who_t(1)

  /// The number of this thread's context switches.
  private static var switches: Int {
    var usage = rusage()
    unsafe getrusage(callingThread, &usage)
    return usage.ru_nvcsw + usage.ru_nivcsw
  }
}
