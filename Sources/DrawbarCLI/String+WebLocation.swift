// SPDX-License-Identifier: MIT

extension String {
  /// Whether this location is a server's.
  var isWebLocation: Bool {
    ["http://", "https://"].contains { lowercased().hasPrefix($0) }
  }
}
