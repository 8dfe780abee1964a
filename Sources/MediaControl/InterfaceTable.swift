// SPDX-License-Identifier: MIT

#if DRAWBAR_SDBUS
  internal import CSDBus
  internal import Glibc

  /// An interface's methods, signals and properties for sd-bus, which checks types by them and answers `Introspectable`
  /// and `Properties`. It must outlive the bus that uses it.
  @safe
  final class InterfaceTable {
    let name: String
    private(set) var entries: UnsafeMutablePointer<sd_bus_vtable>
    private var strings: [UnsafeMutablePointer<CChar>] = unsafe []

    /// The functions that sd-bus calls; each finds the member's name in its arguments.
    @safe
    struct Handlers {
      var call:
        @convention(c) (
          OpaquePointer?, UnsafeMutableRawPointer?, UnsafeMutablePointer<sd_bus_error>?
        ) -> Int32
      var get: sd_bus_property_get_t
      var set: sd_bus_property_set_t
    }

    struct Method {
      var name: String
      /// Its arguments' names and types.
      var arguments: [(name: String, type: String)] = []
    }

    struct Property {
      var name: String
      var signature: StaticString
      var isAnnounced: Bool
      var isWritable: Bool
    }

    init(
      _ name: String, methods: [Method], signals: [Method] = [], properties: [Property],
      handlers: Handlers, sdbus: drawbar_sdbus
    ) {
      self.name = name
      let count = methods.count + signals.count + properties.count + 2
      unsafe entries = .allocate(capacity: count)
      var next = 0
      func add(_ entry: sd_bus_vtable) {
        unsafe (entries + next).initialize(to: entry)
        next += 1
      }
      unsafe add(withUnsafePointer(to: sdbus) { unsafe drawbar_sdbus_start($0) })
      for method in methods {
        unsafe add(
          drawbar_sdbus_method(
            kept(method.name), kept(method.arguments.map(\.type).joined()), kept(names: method),
            handlers.call))
      }
      for signal in signals {
        unsafe add(
          drawbar_sdbus_signal(
            kept(signal.name), kept(signal.arguments.map(\.type).joined()), kept(names: signal)))
      }
      for property in properties {
        unsafe add(
          drawbar_sdbus_property(
            kept(property.name), kept("\(property.signature)"), property.isAnnounced, handlers.get,
            property.isWritable ? handlers.set : nil))
      }
      unsafe add(drawbar_sdbus_end())
    }

    deinit {
      unsafe entries.deallocate()
      unsafe strings.forEach { unsafe free($0) }
    }

    private func kept(_ text: String) -> UnsafePointer<CChar> {
      let copy = unsafe strdup(text)!
      unsafe strings.append(copy)
      return unsafe UnsafePointer(copy)
    }

    /// Returns a copy of the arguments' names, each followed by a NUL, with another after the last.
    private func kept(names method: Method) -> UnsafePointer<CChar> {
      let bytes: [CChar] = method.arguments.flatMap { Array($0.name.utf8CString) } + [0]
      let copy = unsafe malloc(bytes.count)!.bindMemory(to: CChar.self, capacity: bytes.count)
      unsafe copy.initialize(from: bytes, count: bytes.count)
      unsafe strings.append(copy)
      return unsafe UnsafePointer(copy)
    }
  }
#endif
