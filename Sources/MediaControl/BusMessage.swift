// SPDX-License-Identifier: MIT

#if DRAWBAR_SDBUS
  internal import CSDBus

  /// A message of sd-bus while it is written or read; borrowed, not owned. Failures are negative `errno`s, as in the
  /// library.
  @safe
  struct BusMessage {
    private let message: OpaquePointer
    private let sdbus: drawbar_sdbus

    init(_ message: OpaquePointer, _ sdbus: drawbar_sdbus) {
      unsafe (self.message, self.sdbus) = unsafe (message, sdbus)
    }

    /// The method or signal's name.
    var member: String? {
      unsafe sdbus.sd_bus_message_get_member(message).map { unsafe String(cString: $0) }
    }

    func append(_ value: BusValue) -> Int32 {
      switch value {
      case .boolean(let value): return append("b", value ? 1 as Int32 : 0)
      case .double(let value): return append("d", value)
      case .int32(let value): return append("i", value)
      case .int64(let value): return append("x", value)
      case .string(let text): return append("s", text: text.asBusString)
      case .objectPath(let path): return append("o", text: path)
      case .strings(let texts):
        return contain("a", "s") {
          texts.reduce(0) { $0 < 0 ? $0 : append("s", text: $1.asBusString) }
        }
      case .dictionary(let entries):
        return contain("a", "{sv}") { entries.reduce(0) { $0 < 0 ? $0 : append($1) } }
      }
    }

    private func append(_ entry: BusEntry) -> Int32 {
      contain("e", "sv") {
        let result = append("s", text: entry.name)
        if result < 0 { return result }
        return contain("v", entry.value.signature) { append(entry.value) }
      }
    }

    private func append(_ type: Unicode.Scalar, _ value: some BitwiseCopyable) -> Int32 {
      unsafe withUnsafePointer(to: value) {
        unsafe sdbus.sd_bus_message_append_basic(message, CChar(type.value), $0)
      }
    }

    private func append(_ type: Unicode.Scalar, text: String) -> Int32 {
      unsafe text.withCString {
        unsafe sdbus.sd_bus_message_append_basic(message, CChar(type.value), $0)
      }
    }

    private func contain(
      _ type: Unicode.Scalar, _ contents: StaticString, _ body: () -> Int32
    ) -> Int32 {
      let opened = unsafe contents.utf8Start.withMemoryRebound(
        to: CChar.self, capacity: contents.utf8CodeUnitCount + 1
      ) { unsafe sdbus.sd_bus_message_open_container(message, CChar(type.value), $0) }
      if opened < 0 { return opened }
      let result = body()
      return result < 0 ? result : unsafe sdbus.sd_bus_message_close_container(message)
    }

    /// Reads the next argument, which is a string or an object path.
    func readText(_ type: Unicode.Scalar) -> String? {
      var text: UnsafePointer<CChar>?
      guard unsafe sdbus.sd_bus_message_read_basic(message, CChar(type.value), &text) > 0 else {
        return nil
      }
      return unsafe text.map { unsafe String(cString: $0) }
    }

    /// Reads the next argument, which is a number.
    func read<Number: BitwiseCopyable & Numeric>(_ type: Unicode.Scalar) -> Number? {
      var number = Number.zero
      guard unsafe sdbus.sd_bus_message_read_basic(message, CChar(type.value), &number) > 0 else {
        return nil
      }
      return number
    }
  }
#endif
