// SPDX-License-Identifier: MIT

import AudioModel
import ByteSources
import PacketParser
import PlayerEngine

extension InfoSheet {
  /// The tags in the text, with their labels.
  private static let shownTags: [(AudioTagKey, String)] = [
    (.title, "Title"), (.artist, "Artist"), (.album, "Album"), (.albumArtist, "Album artist"),
    (.track, "Track"), (.disc, "Disc"), (.date, "Date"), (.genre, "Genre"),
    (.composer, "Composer"),
  ]

  /// The facts for people: a label and a value on each line; nothing if the format is not known.
  var text: String {
    guard let format = summary.dataFormat else { return "" }
    var rows: [(String, String)] = Self.shownTags.compactMap { key, label in
      summary.info?[key].map { (label, $0) }
    }
    rows.append(("File", location))
    if let type = summary.fileFormat {
      rows.append(("Container", Self.named(type.name, "\(type)")))
    }
    rows.append(("Encoding", Self.encoding(format)))
    rows.append(("Decoder", Self.decoder(format.formatID)))
    rows.append(("Rate", "\(Self.whole(format.sampleRate)) Hz"))
    rows.append(
      (
        "Channels",
        ChannelWords.text(count: format.channelsPerFrame, layout: summary.channelLayout)
      ))
    if let richest = summary.formatList.first?.format, richest != format {
      let channels = ChannelWords.text(count: richest.channelsPerFrame, layout: nil)
      rows.append(
        (
          "Extended",
          "\(Self.encoding(richest)), \(Self.whole(richest.sampleRate)) Hz, \(channels)"
        ))
    }
    rows.append(("Duration", summary.duration.map(Self.words) ?? "unknown"))
    if let bitRate = summary.bitRate {
      rows.append(("Bit rate", "\(Self.whole(Double(bitRate) / 1000)) kbit/s"))
    }
    if let count = summary.packetCount { rows.append(("Packets", "\(count)")) }
    if let table = summary.packetTable, table.primingFrames > 0 || table.remainderFrames > 0 {
      rows.append(
        (
          "Edges",
          "\(table.primingFrames) priming, \(table.remainderFrames) remainder frames, trimmed"
        ))
    }
    if let offset = summary.dataOffset { rows.append(("Audio at", "byte \(offset)")) }
    for picture in summary.pictures { rows.append(("Picture", Self.words(picture))) }
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { label, value in
      label + String(repeating: " ", count: width - label.count + 2) + value.asMessage + "\n"
    }.joined()
  }

  /// Returns a name with its four-character code, unless the name is only the code.
  private static func named(_ name: String, _ code: String) -> String {
    name == "'\(code)'" ? name : "\(name) ('\(code)')"
  }

  private static func encoding(_ format: AudioStreamBasicDescription) -> String {
    guard format.formatID == .linearPCM else {
      return named(format.formatID.name, "\(format.formatID)")
    }
    let flags = format.formatFlags
    let kind =
      flags.contains(.float)
      ? "float" : flags.contains(.signedInteger) ? "signed integer" : "unsigned integer"
    let order = flags.contains(.bigEndian) && format.bitsPerChannel > 8 ? ", big-endian" : ""
    return "linear PCM, \(format.bitsPerChannel)-bit \(kind)\(order) ('\(format.formatID)')"
  }

  private static func decoder(_ format: AudioFormatID) -> String {
    guard let choice = DecoderChoice(format) else { return "none in this build" }
    return switch choice.thread {
    case .callback: "\(choice.library), in the callback up to 5 % of the period, else ahead"
    case .ahead: "\(choice.library), ahead of the callback"
    }
  }

  /// Returns a number without its fraction, however large.
  private static func whole(_ value: Double) -> String {
    Int64(exactly: value.rounded()).map { "\($0)" } ?? "\(value)"
  }

  private static func words(_ duration: AudioFileStreamDuration) -> String {
    // A file may claim anything; 2 to the 60th is 36 years.
    let nanoseconds = UInt64(max(0, min(duration.seconds * 1e9, 0x1p60)))
    let seconds = TimeText.seconds(nanoseconds: nanoseconds, decimals: 3)
    return "\(TimeText.clock(nanoseconds: nanoseconds)) (\(seconds) s, by "
      + "\(words(duration.evidence)))"
  }

  private static func words(_ evidence: AudioFileStreamDuration.Evidence) -> String {
    switch evidence {
    case .packetTable: "packet table"
    case .frameCount: "frame count"
    case .packetCount: "packet count"
    case .byteCount: "byte count"
    case .constantBitRate: "constant bit rate"
    case .averageOfPackets: "average of packets, an estimate"
    }
  }

  private static func words(_ picture: AudioFilePicture) -> String {
    let type = picture.mediaType.isEmpty ? "unknown type" : picture.mediaType
    let kind = pictureKind(picture.kind).map { "\($0): " } ?? ""
    return "\(kind)\(type), \(size(picture.byteCount))"
  }

  /// Returns the name of a kind of picture in ID3v2 (ID3v2.4 frames, section 4.14).
  private static func pictureKind(_ kind: UInt8) -> String? {
    switch kind {
    case 1, 2: "icon"
    case 3: "cover"
    case 4: "back cover"
    case 5: "leaflet"
    case 6: "medium"
    case 7, 8: "artist"
    case 9: "conductor"
    case 10: "band"
    case 11: "composer"
    case 12: "lyricist"
    case 13: "place of recording"
    case 14: "recording"
    case 15: "performance"
    case 16: "film scene"
    case 18: "illustration"
    case 19: "band's logo"
    case 20: "publisher's logo"
    default: nil
    }
  }

  private static func size(_ byteCount: Int) -> String {
    switch byteCount {
    case ..<1000: "\(byteCount) bytes"
    case ..<1_000_000: "\(whole(Double(byteCount) / 1000)) kB"
    default: "\((Double(byteCount) / 100_000).rounded() / 10) MB"
    }
  }
}
