// SPDX-License-Identifier: MIT

/// Gathers what tags say, within bounds: a tag may claim anything.
struct TagCollector {
  /// Bytes of one text at most; what is longer is left out.
  static let maximumTextBytes = 64 << 10
  /// Bytes of all texts together at most.
  static let maximumTotalBytes = 512 << 10
  static let maximumEntries = 512
  static let maximumPictures = 64

  private(set) var info = AudioFileInfo()
  /// Pictures of up to so many bytes are kept; of larger ones only the size is.
  var pictureByteLimit = 0
  private var totalBytes = 0

  /// Statements and pictures so far.
  var statementCount: Int { info.entries.count + info.pictures.count }

  /// Adds a statement. The first one about a key stays.
  mutating func add(_ key: AudioTagKey, _ value: String) {
    guard !value.isEmpty, info[key] == nil else { return }
    append(key, value)
  }

  /// Adds a statement, or to the one there is, behind a semicolon.
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
    // What a stream's end was found to hold is met again when it comes.
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

/// What a reader of a tag wants next; it looks at bytes and answers, as a container parser does.
enum TagStep {
  /// Look again when this many bytes are there, counted from the present position.
  case need(Int)
  /// Go on this many bytes.
  case skip(Int64)
  /// The tag has ended at the present position.
  case finished
}
