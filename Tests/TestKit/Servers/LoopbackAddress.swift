// SPDX-License-Identifier: MIT

import Glibc

/// Returns the address 127.0.0.1 with a port.
func loopbackAddress(port: UInt16) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return address
}

/// Binds a socket to a free port of 127.0.0.1, and returns the port.
func bindToLoopback(_ descriptor: Int32) -> UInt16 {
  var address = loopbackAddress(port: 0)
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  unsafe withUnsafeMutablePointer(to: &address) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
      let bound = unsafe bind(descriptor, pointer, length)
      let named = unsafe getsockname(descriptor, pointer, &length)
      precondition(bound == 0 && named == 0, "no port on 127.0.0.1")
    }
  }
  return UInt16(bigEndian: address.sin_port)
}
