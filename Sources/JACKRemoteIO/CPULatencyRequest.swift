// SPDX-License-Identifier: MIT

internal import Glibc

/// A request to the kernel, in force while it exists, that no processor may sleep so deeply that it takes longer
/// than this to wake up.
///
/// A real-time thread wakes for each cycle. A processor that has gone to sleep meanwhile has to come back first: from
/// a deep idle state that takes up to some hundred microseconds, on a virtual machine as long as the host likes, and
/// the caches may be empty then. With 0 the kernel waits in a loop instead of sleeping, which is what cyclictest(8)
/// measures with. That takes power, and concerns all of the machine: of all programs' requests the shortest holds.
///
/// It is the kernel's CPU latency QoS (`Documentation/power/pm_qos_interface.rst`): a descriptor of
/// `/dev/cpu_dma_latency`, which the kernel takes back when it is closed, however the process ends. The device is
/// root's unless a rule of udev(7) gives it to others, and a kernel that does not manage idle states (cpuidle) takes
/// the request and does nothing.
///
/// Not for the render thread: it makes system calls.
public struct CPULatencyRequest: ~Copyable, Sendable {
  /// Where the kernel takes requests.
  static let devicePath = "/dev/cpu_dma_latency"

  /// How long a processor may take to wake up, at most.
  public let microseconds: Int32
  private let descriptor: Int32

  /// Makes the request.
  ///
  /// - Parameter microseconds: how long a processor may take to wake up, not negative; 0 has none of them sleep.
  /// - Throws: ``CPULatencyError`` when the kernel does not take it.
  public init(microseconds: Int32) throws(CPULatencyError) {
    try self.init(microseconds: microseconds, devicePath: Self.devicePath)
  }

  init(microseconds: Int32, devicePath: String) throws(CPULatencyError) {
    precondition(microseconds >= 0, "a time is not negative")
    let descriptor = unsafe open(devicePath, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw CPULatencyError(devicePath: devicePath, code: errno) }
    let written = unsafe withUnsafeBytes(of: microseconds) {
      unsafe write(descriptor, $0.baseAddress, $0.count)
    }
    guard written == MemoryLayout<Int32>.size else {
      let code = errno
      close(descriptor)
      throw CPULatencyError(devicePath: devicePath, code: code)
    }
    self.microseconds = microseconds
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }
}

/// Why the kernel could not be asked to keep the processors ready.
public struct CPULatencyError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kernel's device.
  public var devicePath: String
  /// The system's error number.
  public var code: Int32

  /// One line: what happened, where, and what can be done.
  public var description: String {
    let why = unsafe String(cString: strerror(code))
    let help =
      switch code {
      case ENOENT: "this kernel has none (it is without CONFIG_CPU_IDLE, or /dev is a container's)"
      case EACCES, EPERM: "run as root, or give your group write permission with a rule of udev(7)"
      default: "it does not take the request"
      }
    return "\(devicePath): \(why): the processors cannot be kept ready; \(help)"
  }
}
