// SPDX-License-Identifier: MIT

/// The content of a `LIST` chunk with statements.
enum SyntheticInfo {
  static func list(_ entries: [(String, String)]) -> [UInt8] {
    [UInt8]("INFO".utf8)
      + entries.flatMap { SyntheticWave.chunk($0.0, [UInt8]($0.1.utf8) + [0]) }
  }
}
