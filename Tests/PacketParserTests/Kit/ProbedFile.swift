// SPDX-License-Identifier: MIT

import TestKit

/// ffprobe's description of a file's first audio stream.
struct ProbedFile {
  /// All packets, including those outside the edit list.
  var packets: [PlacedPacket] = []
  /// In seconds.
  var duration: Double?
  /// The tags without the brands.
  var tags: [String: String] = [:]

  init(_ name: String, in workshop: Workshop) throws {
    try workshop.run(
      "ffprobe -v error -ignore_editlist 1 -select_streams a:0 -show_packets "
        + "-show_entries packet=pos,size -of csv=p=0 \(name) > packets; "
        + "ffprobe -v error -select_streams a:0 -show_entries stream=duration -of csv=p=0 \(name) "
        + "> duration; ffprobe -v error -show_entries format_tags -of default=nk=0:nw=1 \(name) > tags"
    )
    func lines(_ name: String) throws -> [Substring] {
      String(decoding: try workshop.read(name), as: UTF8.self).split(separator: "\n")
    }
    for line in try lines("packets") {
      let fields = line.split(separator: ",")
      guard fields.count >= 2, let size = Int(fields[0]), let offset = Int64(fields[1]) else {
        continue
      }
      packets.append(PlacedPacket(offset: offset, byteCount: size))
    }
    duration = try lines("duration").first.flatMap { Double($0) }
    for line in try lines("tags") {
      guard line.hasPrefix("TAG:"), let sign = line.firstIndex(of: "=") else { continue }
      let key = String(line[..<sign].dropFirst(4))
      if ["major_brand", "minor_version", "compatible_brands"].contains(key) { continue }
      tags[key] = String(line[line.index(after: sign)...])
    }
  }
}
