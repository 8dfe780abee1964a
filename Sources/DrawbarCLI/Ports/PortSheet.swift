// SPDX-License-Identifier: MIT

import AudioModel
import JACKRemoteIO

/// The JACK graph as text or JSON.
struct PortSheet {
  var server: String
  var snapshot: JACKGraph.Snapshot

  /// Writes a line with columns for each port, and its connections below it.
  func writeText(to output: inout some TextOutputStream) {
    let rows = snapshot.ports.map { [$0.name.asMessage] + Self.columns(of: $0) }
    let widths = (0..<4).map { column in
      rows.map { TerminalText.width(of: $0[column]) }.max() ?? 0
    }
    for (port, row) in zip(snapshot.ports, rows) {
      var line = ""
      for (text, width) in zip(row, widths) {
        line += text + String(repeating: " ", count: width - TerminalText.width(of: text) + 2)
      }
      line += row[4]
      while line.hasSuffix(" ") { line.removeLast() }
      output.write(line + "\n")
      for other in port.connections {
        let arrow = port.direction == .output ? "->" : "<-"
        output.write("  \(arrow) \(other.asMessage)\n")
      }
    }
  }

  /// Returns the direction, type and flags, and the latencies with the port's pretty name.
  static func columns(of port: JACKGraph.Port) -> [String] {
    let flags = [
      (port.isPhysical, "physical"), (port.isTerminal, "terminal"), (port.canMonitor, "monitor"),
    ]
    let name = port.prettyName.map { "  \"\($0.asMessage)\"" } ?? ""
    return [
      port.direction.rawValue, port.type.name.asMessage,
      flags.filter(\.0).map(\.1).joined(separator: ","),
      "capture \(text(port.captureLatency)), playback \(text(port.playbackLatency))" + name,
    ]
  }

  private static func text(_ range: ClosedRange<Int>) -> String {
    range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
  }

  /// Writes one object, with each port on its own line. Stable: the names and their order do not change between
  /// releases; new ones may be added.
  func writeJSON(to output: inout some TextOutputStream) {
    func line(_ name: String, _ value: JSONValue) {
      output.write("  \"\(name)\": ")
      value.write(to: &output, space: " ")
      output.write(",\n")
    }
    output.write("{\n")
    line("server", .string(server))
    line("sampleRate", .number(snapshot.sampleRate))
    line("bufferSize", .integer(Int64(snapshot.bufferSize)))
    output.write("  \"ports\": [")
    for (index, port) in snapshot.ports.enumerated() {
      output.write(index == 0 ? "\n    " : ",\n    ")
      Self.value(of: port).write(to: &output, space: " ")
    }
    output.write(snapshot.ports.isEmpty ? "]\n}\n" : "\n  ]\n}\n")
  }

  /// Returns the facts of a port, for programs.
  static func value(of port: JACKGraph.Port) -> JSONValue {
    func latency(_ range: ClosedRange<Int>) -> JSONValue {
      .object([
        ("min", .integer(Int64(range.lowerBound))), ("max", .integer(Int64(range.upperBound))),
      ])
    }
    func strings(_ texts: [String]) -> JSONValue {
      .array(AnySequence(texts.map { .string($0) }))
    }
    return .object([
      ("name", .string(port.name)),
      ("prettyName", .optional(port.prettyName)),
      ("direction", .string(port.direction.rawValue)),
      ("type", .string(port.type.name)),
      ("physical", .bool(port.isPhysical)),
      ("terminal", .bool(port.isTerminal)),
      ("canMonitor", .bool(port.canMonitor)),
      ("captureLatency", latency(port.captureLatency)),
      ("playbackLatency", latency(port.playbackLatency)),
      ("aliases", strings(port.aliases)),
      ("connections", strings(port.connections)),
      (
        "properties",
        .array(
          AnySequence(
            port.properties.map {
              .object([
                ("key", .string($0.key)), ("value", .string($0.value)),
                ("type", .optional($0.type)),
              ])
            }))
      ),
    ])
  }
}
