// SPDX-License-Identifier: MIT

internal import CJACK

/// A port's other names: at most two (jack.h, `jack_port_get_aliases`).
enum PortAliases {
  static func read(_ port: OpaquePointer) -> [String] {
    let size = Int(jack_port_name_size())
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 2 * size) { memory in
      unsafe memory.initialize(repeating: 0)
      var names: [UnsafeMutablePointer<CChar>?] = unsafe [
        memory.baseAddress!, memory.baseAddress! + size,
      ]
      let count = unsafe jack_port_get_aliases(port, &names)
      return unsafe names.prefix(max(0, Int(count))).map { unsafe String(cString: $0!) }
    }
  }
}
