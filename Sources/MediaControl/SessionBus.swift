// SPDX-License-Identifier: MIT

internal import Glibc

/// Where the user's session bus is.
public enum SessionBus {
  /// The address (D-Bus specification, "Server Addresses") that the environment names, or that of the
  /// socket where a login session has its bus. Nil where there is none: one is never started.
  public static var address: String? {
    address(
      variable: { name in unsafe getenv(name).map { unsafe String(cString: $0) } },
      isSocket: { path in
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
      })
  }

  /// - Parameters:
  ///   - variable: the environment.
  ///   - isSocket: whether there is a socket at a path.
  static func address(
    variable: (String) -> String?, isSocket: (String) -> Bool
  ) -> String? {
    if let address = variable("DBUS_SESSION_BUS_ADDRESS"), !address.isEmpty {
      // "autolaunch:" has a library start a bus, which would outlive the program; "disabled:" is how one
      // says that there is none.
      return ["autolaunch:", "disabled:"].contains { address.hasPrefix($0) } ? nil : address
    }
    guard let folder = variable("XDG_RUNTIME_DIR"), folder.hasPrefix("/"),
      isSocket(folder + "/bus")
    else { return nil }
    return "unix:path=" + escaped(folder + "/bus")
  }

  /// A value in an address: all but a few bytes are written as `%` and two hexadecimal digits.
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
