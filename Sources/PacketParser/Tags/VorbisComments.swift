// SPDX-License-Identifier: MIT

/// Reads a Vorbis comment block (Vorbis I section 5.2.1), which FLAC and Opus have too: the vendor's
/// name, then `NAME=value` texts, each preceded by its length. Its bytes may arrive in pieces of any
/// size. Texts above the limit are skipped without being held.
struct VorbisCommentReader {
  /// The most bytes of a name; longer ones are ignored.
  private static let maximumNameBytes = 128

  private enum State {
    case vendorLength, vendor, commentCount, commentLength, name, value, finished
  }

  /// The use of a comment's value.
  private enum Use {
    case text
    case picture
    case nothing
  }

  /// The speakers in a `WAVEFORMATEXTENSIBLE_CHANNEL_MASK` comment (RFC 9639 section 8.6.2).
  private(set) var channelMask: UInt32?

  private var state = State.vendorLength
  /// The length or count being read, least significant byte first, and its bytes so far.
  private var number: UInt32 = 0
  private var numberBytes: UInt32 = 0
  /// Bytes left in the vendor's name or the comment.
  private var left = 0
  private var commentsLeft: UInt32 = 0
  private var name: [UInt8] = []
  private var value: [UInt8] = []
  private var use = Use.text
  private var base64 = Base64Reader()
  private var picture = FLACPictureReader()

  /// Whether all comments were read; only padding follows them.
  var isFinished: Bool { state == .finished }

  /// Reads the block's next bytes.
  mutating func read(_ bytes: Span<UInt8>, into tags: inout TagCollector) {
    var place = 0
    while place < bytes.count {
      switch state {
      case .finished: return
      case .vendorLength, .commentCount, .commentLength:
        number |= UInt32(bytes[place]) << (8 * numberBytes)
        numberBytes += 1
        place += 1
        if numberBytes == 4 { takeNumber() }
      case .vendor:
        let passed = min(left, bytes.count - place)
        place += passed
        left -= passed
        if left == 0 { state = .commentCount }
      case .name:
        readName(bytes[place], &tags)
        place += 1
      case .value:
        let taken = min(left, bytes.count - place)
        readValue(bytes.extracting(place..<place + taken), &tags)
        place += taken
        left -= taken
        if left == 0 { endComment(&tags) }
      }
    }
  }

  private mutating func takeNumber() {
    switch state {
    case .vendorLength:
      left = Int(number)
      state = left > 0 ? .vendor : .commentCount
    case .commentCount:
      commentsLeft = number
      state = number > 0 ? .commentLength : .finished
    default:
      left = Int(number)
      name.removeAll(keepingCapacity: true)
      value.removeAll(keepingCapacity: true)
      use = .text
      commentsLeft -= 1
      state = left > 0 ? .name : nextComment
    }
    number = 0
    numberBytes = 0
  }

  private var nextComment: State { commentsLeft > 0 ? .commentLength : .finished }

  private mutating func readName(_ byte: UInt8, _ tags: inout TagCollector) {
    left -= 1
    if byte == UInt8(ascii: "=") {
      beginValue()
    } else if (0x20...0x7D).contains(byte), name.count < Self.maximumNameBytes {
      // Names are case-insensitive.
      name.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
    } else {
      use = .nothing
      state = .value
    }
    if left == 0 { endComment(&tags) }
  }

  private mutating func beginValue() {
    state = .value
    guard !name.isEmpty else {
      use = .nothing
      return
    }
    guard name.span.has("metadata_block_picture", at: 0), name.count == 22 else { return }
    use = .picture
    base64 = Base64Reader()
    picture = FLACPictureReader()
  }

  private mutating func readValue(_ bytes: Span<UInt8>, _ tags: inout TagCollector) {
    switch use {
    case .nothing: return
    case .picture:
      let decoded = base64.read(bytes)
      picture.read(decoded.span, into: &tags)
    case .text:
      guard value.count + bytes.count <= TagCollector.maximumTextBytes else {
        value.removeAll()
        use = .nothing
        return
      }
      for index in 0..<bytes.count { value.append(bytes[index]) }
    }
  }

  private mutating func endComment(_ tags: inout TagCollector) {
    let isWhole = state == .value && use == .text
    state = nextComment
    guard isWhole, !value.isEmpty else { return }
    let text = String(decoding: value, as: UTF8.self)
    let name = String(decoding: name, as: UTF8.self)
    if name == "waveformatextensible_channel_mask" {
      channelMask = UInt32(text.dropFirst(text.lowercased().hasPrefix("0x") ? 2 : 0), radix: 16)
    } else {
      tags.join(AudioTagKey(vorbisName: name), text)
    }
  }
}

extension AudioTagKey {
  /// Creates the key for a Vorbis comment's name in lower case: ffprobe's common name if it has one,
  /// else the name itself.
  init(vorbisName name: String) {
    switch name {
    case "albumartist": self = .albumArtist
    case "tracknumber": self = .track
    case "discnumber": self = .disc
    case "description": self = .comment
    case "encoded-by", "encodedby": self = .encodedBy
    case "isrc": self = .isrc
    case "bpm": self = .tempo
    default: self.init(rawValue: name)
    }
  }
}
