// SPDX-License-Identifier: MIT

internal import Glibc

/// The user's session bus.
public enum SessionBus {
  /// The address (D-Bus specification, "Server Addresses") in the environment, or that of a login session's bus socket.
  /// Nil if there is none: this never starts a bus.
  public static var address: String? {
    address(
      variable: { name in unsafe getenv(name).map { unsafe String(cString: $0) } },
      isSocket: { path in
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
      })
  }

  /// - Parameters:
  ///   - variable: returns the value of an environment variable.
  ///   - isSocket: returns whether a path is a socket.
  static func address(
    variable: (String) -> String?, isSocket: (String) -> Bool
  ) -> String? {
    if let address = variable("DBUS_SESSION_BUS_ADDRESS"), !address.isEmpty {
      // "autolaunch:" would make a library start a bus that outlives the program; "disabled:" states that there is
      // none.
      return ["autolaunch:", "disabled:"].contains { address.hasPrefix($0) } ? nil : address
    }
    guard let folder = variable("XDG_RUNTIME_DIR"), folder.hasPrefix("/"),
      isSocket(folder + "/bus")
    else { return nil }
    return "unix:path=" + escaped(folder + "/bus")
  }

  /// Returns a value escaped for an address: all but a few bytes as `%` and two hexadecimal digits.
  private static func escaped(_ value: String) -> String {
    value.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "\\"), UInt8(ascii: "*"):
        String(UnicodeScalar(byte))
      default: (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
      }
    }.joined()
  }
}
