// SPDX-License-Identifier: MIT

/// What a tag tells. The names are those that Linux tools print, in lower case; each container's own
/// names are brought to them.
public struct AudioTagKey: RawRepresentable, Hashable, Sendable {
  /// The name.
  public var rawValue: String

  /// The key with this name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The title of the track.
  public static let title = AudioTagKey(rawValue: "title")
  /// Who performs it.
  public static let artist = AudioTagKey(rawValue: "artist")
  /// The album it is from.
  public static let album = AudioTagKey(rawValue: "album")
  /// Who performs the album as a whole.
  public static let albumArtist = AudioTagKey(rawValue: "album_artist")
  /// The track's number, alone or as number/total.
  public static let track = AudioTagKey(rawValue: "track")
  /// The disc's number, alone or as number/total.
  public static let disc = AudioTagKey(rawValue: "disc")
  /// The year, or date, of recording or release.
  public static let date = AudioTagKey(rawValue: "date")
  /// The kind of music.
  public static let genre = AudioTagKey(rawValue: "genre")
  /// Who wrote the music.
  public static let composer = AudioTagKey(rawValue: "composer")
  /// Any remark.
  public static let comment = AudioTagKey(rawValue: "comment")
  /// The copyright notice.
  public static let copyright = AudioTagKey(rawValue: "copyright")
  /// The program that encoded it.
  public static let encoder = AudioTagKey(rawValue: "encoder")
  /// The person or firm that encoded it.
  public static let encodedBy = AudioTagKey(rawValue: "encoded_by")
  /// The language of the words.
  public static let language = AudioTagKey(rawValue: "language")
  /// The words.
  public static let lyrics = AudioTagKey(rawValue: "lyrics")
  /// What the file describes itself as.
  public static let description = AudioTagKey(rawValue: "description")
  /// The international standard recording code.
  public static let isrc = AudioTagKey(rawValue: "ISRC")
  /// Beats a minute.
  public static let tempo = AudioTagKey(rawValue: "TBPM")

  /// The key's name in Core Audio's info dictionary (`kAFInfoDictionary_…`, AudioFile.h); the name
  /// itself where Core Audio has none.
  public var coreAudioName: String {
    switch self {
    case .track: "track number"
    case .date: "year"
    case .comment: "comments"
    case .encoder: "encoding application"
    case .tempo: "tempo"
    default: rawValue
    }
  }
}
