// SPDX-License-Identifier: MIT

/// The content of an ID3v2 tag's frames, without their headers.
struct ID3v2Content {
  /// The parts of the date in versions 2.2 and 2.3.
  private var year: String?
  private var dayAndMonth: String?
  private var time: String?

  /// Adds the content of a text, comment or lyrics frame.
  mutating func addText(_ id: String, _ content: ArraySlice<UInt8>, to tags: inout TagCollector) {
    guard let first = content.first, let encoding = ID3v2Text(rawValue: first) else { return }
    let rest = content.dropFirst()
    switch id {
    case "TXXX": addDescribed(encoding, rest, otherwise: AudioTagKey(rawValue: id), to: &tags)
    case "COMM", "USLT":
      // Three letters name the language.
      guard rest.count >= 3 else { return }
      let (_, next) = encoding.textEnd(rest, from: rest.startIndex + 3)
      if id == "COMM" {
        addDescribed(encoding, rest.dropFirst(3), otherwise: .comment, to: &tags)
      } else {
        tags.add(.lyrics, encoding.texts(rest[next...]).joined(separator: ";"))
      }
    case "TYER": year = year ?? encoding.texts(rest).first
    case "TDAT": dayAndMonth = dayAndMonth ?? encoding.texts(rest).first
    case "TIME": time = time ?? encoding.texts(rest).first
    case "TCON":
      let genres = encoding.texts(rest).map { ID3Genre.name($0) }
      tags.add(.genre, genres.joined(separator: ";"))
    default:
      let key = ID3v2Names.keys[id] ?? AudioTagKey(rawValue: id)
      tags.add(key, encoding.texts(rest).joined(separator: ";"))
    }
  }

  /// Adds a text under its description, or under `key` if the description is empty.
  private func addDescribed(
    _ encoding: ID3v2Text, _ content: ArraySlice<UInt8>, otherwise key: AudioTagKey,
    to tags: inout TagCollector
  ) {
    let (end, next) = encoding.textEnd(content, from: content.startIndex)
    let description = encoding.text(content[content.startIndex..<end])
    let value = encoding.texts(content[next...]).joined(separator: ";")
    tags.add(description.isEmpty ? key : AudioTagKey(rawValue: description), value)
  }

  /// Adds the date: year, then month and day, then the time, as far as they are present.
  mutating func finish(_ tags: inout TagCollector) {
    defer { (year, dayAndMonth, time) = (nil, nil, nil) }
    guard var date = year else { return }
    if date.utf8.count == 4, let dayAndMonth, dayAndMonth.utf8.count == 4, dayAndMonth.isDigits {
      date += "-\(dayAndMonth.suffix(2))-\(dayAndMonth.prefix(2))"
      if let time, time.utf8.count == 4, time.isDigits {
        date += " \(time.prefix(2)):\(time.suffix(2))"
      }
    }
    tags.add(.date, date)
  }

  /// Reads a picture and the index at which its bytes begin; nil if they do not begin within `content`.
  ///
  /// - Parameter isOldStyle: whether three letters name the format, as in version 2.2.
  static func picture(
    _ content: ArraySlice<UInt8>, isOldStyle: Bool
  ) -> (picture: AudioFilePicture, dataStart: Int)? {
    guard let first = content.first, let encoding = ID3v2Text(rawValue: first) else { return nil }
    var place = content.startIndex + 1
    var mediaType: String
    if isOldStyle {
      guard content.endIndex - place >= 3 else { return nil }
      mediaType = String(latin1: content[place..<place + 3])
      if mediaType != "-->" {
        mediaType = mediaType == "JPG" ? "image/jpeg" : "image/" + mediaType.lowercased()
      }
      place += 3
    } else {
      let (end, next) = ID3v2Text.latin1.textEnd(content, from: place)
      guard end < content.endIndex else { return nil }
      mediaType = String(latin1: content[place..<end])
      place = next
    }
    guard place < content.endIndex else { return nil }
    let kind = content[place]
    let (end, next) = encoding.textEnd(content, from: place + 1)
    guard end < content.endIndex else { return nil }
    let text = encoding.text(content[place + 1..<end])
    return (AudioFilePicture(kind: kind, mediaType: mediaType, text: text, byteCount: 0), next)
  }
}

extension String {
  /// Whether the string consists of the digits 0 to 9 only.
  var isDigits: Bool {
    !isEmpty && utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
