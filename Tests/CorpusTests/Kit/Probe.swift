// SPDX-License-Identifier: MIT

/// ffprobe's description of a file, from its compact output.
struct Probe {
  struct Packet: Equatable {
    var offset: Int64?
    var size: Int
    var duration: Int64?

    /// The packet's end only, for a packet to which ffprobe prepends junk.
    var byItsEnd: Packet {
      Packet(offset: offset.map { $0 + Int64(size) }, size: 0, duration: nil)
    }
  }

  /// The fields of the first audio stream, of the container, and of the pictures' streams.
  var audio: [String: String] = [:]
  var format: [String: String] = [:]
  var pictures: [[String: String]] = []
  /// The packets of the first audio stream.
  var packets: [Packet] = []
  /// The one packet of each picture, by the picture's stream.
  private var packetsOfStreams: [String: [Packet]] = [:]

  init(_ text: String) {
    for line in text.split(separator: "\n") {
      let (section, fields) = Self.fields(line)
      switch section {
      case "packet":
        let packet = Packet(
          offset: fields["pos"].flatMap { Int64($0) }, size: Int(fields["size"] ?? "") ?? -1,
          duration: fields["duration"].flatMap { Int64($0) })
        packetsOfStreams[fields["stream_index"] ?? "", default: []].append(packet)
      case "stream":
        if fields["disposition:attached_pic"] == "1" {
          pictures.append(fields)
        } else if fields["codec_type"] == "audio", audio.isEmpty {
          audio = fields
        }
      case "format": format = fields
      default: break
      }
    }
    packets = packetsOfStreams[audio["index"] ?? "0"] ?? []
  }

  /// A number of the audio stream; nil if ffprobe does not know it.
  func number(_ name: String) -> Double? { audio[name].flatMap { Double($0) } }

  /// Each packet's duration in frames of the audio stream; nil if ffprobe does not print it.
  var packetFrames: [Int64?] {
    let parts = (audio["time_base"] ?? "").split(separator: "/").compactMap { Int64($0) }
    guard parts.count == 2, let rate = number("sample_rate").map({ Int64($0) }) else { return [] }
    return packets.map { packet in
      packet.duration.map { $0 * parts[0] * rate / max(1, parts[1]) }
    }
  }

  /// Codec and size of each picture, in order of size.
  var pictureSizes: [PictureSize] {
    pictures.map { picture in
      PictureSize(
        codec: picture["codec_name"] ?? "",
        byteCount: packetsOfStreams[picture["index"] ?? ""]?.first?.size ?? -1)
    }.sorted()
  }

  /// The tags by lower-case name. Ogg's belong to the stream, others' to the container.
  var tags: [String: String] {
    var result: [String: String] = [:]
    for fields in [audio, format] {
      for (name, value) in fields where name.hasPrefix("tag:") {
        result[String(name.dropFirst(4)).lowercased()] = value
      }
    }
    return result
  }

  /// A line's section and fields. A backslash escapes a character that would end a field or a line.
  private static func fields(_ line: Substring) -> (String, [String: String]) {
    var parts: [String] = [""]
    var isEscaped = false
    for character in line {
      if isEscaped {
        parts[parts.count - 1].append(character == "n" ? "\n" : character == "r" ? "\r" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "|" {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    var fields: [String: String] = [:]
    for part in parts.dropFirst() {
      guard let equals = part.firstIndex(of: "=") else { continue }
      let name = String(part[..<equals])
      // Side data follows the packet on its line, with its own fields.
      if name == "side_data_type" { break }
      fields[name] = String(part[equals...].dropFirst())
    }
    return (parts[0], fields)
  }
}

/// A picture as both sides describe it.
struct PictureSize: Hashable, Comparable {
  /// ffmpeg's name of the encoding: mjpeg, png.
  var codec: String
  var byteCount: Int

  static func < (one: Self, other: Self) -> Bool {
    (one.byteCount, one.codec) < (other.byteCount, other.codec)
  }
}
