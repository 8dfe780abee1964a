// SPDX-License-Identifier: MIT

internal import Glibc

/// A request to the kernel to limit the wake-up latency of all processors, in force while this value exists.
///
/// A real-time thread wakes for each cycle, and its processor may have to leave an idle state first. From a
/// deep one this takes up to some hundred microseconds, on a virtual machine as long as the host takes, and the
/// caches may be empty then. With 0 the kernel polls instead of sleeping, as cyclictest(8) requests for its
/// measurements. This uses power and affects the whole machine: the shortest of all programs' requests applies.
///
/// It uses the kernel's CPU latency QoS (`Documentation/power/pm_qos_interface.rst`): an open descriptor of
/// `/dev/cpu_dma_latency`. The kernel withdraws the request when the descriptor is closed, however the process
/// ends. The device belongs to root unless a udev(7) rule grants access. A kernel that does not manage idle
/// states (cpuidle) accepts the request and does nothing.
///
/// Not for the render thread: it makes system calls.
public struct CPULatencyRequest: ~Copyable, Sendable {
  /// The device that accepts requests.
  static let devicePath = "/dev/cpu_dma_latency"

  /// The longest wake-up latency of a processor.
  public let microseconds: Int32
  private let descriptor: Int32

  /// Makes the request.
  ///
  /// - Parameter microseconds: the longest wake-up latency of a processor, not negative; with 0 none sleeps.
  /// - Throws: ``CPULatencyError`` when the kernel rejects the request.
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

/// The failure of a request to limit the processors' wake-up latency.
public struct CPULatencyError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kernel's device.
  public var devicePath: String
  /// The system's error number.
  public var code: Int32

  /// A one-line message: the failure, the device, and a remedy.
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
