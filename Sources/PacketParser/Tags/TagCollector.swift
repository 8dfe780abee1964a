// SPDX-License-Identifier: MIT

/// Collects the content of tags, within limits because tags are untrusted.
struct TagCollector {
  /// The most bytes of one text; a longer one is left out.
  static let maximumTextBytes = 64 << 10
  /// The most bytes of all texts together.
  static let maximumTotalBytes = 512 << 10
  static let maximumEntries = 512
  static let maximumPictures = 64

  private(set) var info = AudioFileInfo()
  /// The largest picture in bytes that is kept; larger ones keep only their size.
  var pictureByteLimit = 0
  private var totalBytes = 0

  /// Statements and pictures so far.
  var statementCount: Int { info.entries.count + info.pictures.count }

  /// Adds a statement, unless the key has one.
  mutating func add(_ key: AudioTagKey, _ value: String) {
    guard !value.isEmpty, info[key] == nil else { return }
    append(key, value)
  }

  /// Adds a statement, or appends its text to the existing one after a semicolon.
  mutating func join(_ key: AudioTagKey, _ value: String) {
    guard let place = info.entries.firstIndex(where: { $0.key == key }) else {
      return append(key, value)
    }
    let size = value.utf8.count + 1
    guard fits(size), info.entries[place].value.utf8.count + size <= Self.maximumTextBytes else {
      return
    }
    totalBytes += size
    info.entries[place].value += ";" + value
  }

  mutating func add(_ picture: AudioFilePicture) {
    // Pictures found in the stream's tail arrive a second time with the stream itself.
    guard info.pictures.count < Self.maximumPictures, !info.pictures.contains(picture) else {
      return
    }
    info.pictures.append(picture)
  }

  private mutating func append(_ key: AudioTagKey, _ value: String) {
    let size = value.utf8.count + key.rawValue.utf8.count
    guard !value.isEmpty, fits(size), info.entries.count < Self.maximumEntries else { return }
    totalBytes += size
    info.entries.append(AudioFileInfo.Entry(key: key, value: value))
  }

  private func fits(_ size: Int) -> Bool {
    size <= Self.maximumTextBytes && totalBytes + size <= Self.maximumTotalBytes
  }
}

/// A tag reader's next request. Like a container parser, a tag reader only examines bytes and answers.
enum TagStep {
  /// Call again when this many bytes are present, counted from the present position.
  case need(Int)
  /// Advance by this many bytes.
  case skip(Int64)
  /// The tag has ended at the present position.
  case finished
}
