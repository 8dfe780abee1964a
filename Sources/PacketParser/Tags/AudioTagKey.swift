// SPDX-License-Identifier: MIT

/// The subject of a tag's statement. The names are those that Linux tools print, in lower case; each
/// container's own names are mapped to them.
public struct AudioTagKey: RawRepresentable, Hashable, Sendable {
  /// The name.
  public var rawValue: String

  /// Creates the key with this name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The title of the track.
  public static let title = AudioTagKey(rawValue: "title")
  /// The performer of the track.
  public static let artist = AudioTagKey(rawValue: "artist")
  /// The album of the track.
  public static let album = AudioTagKey(rawValue: "album")
  /// The performer of the album as a whole.
  public static let albumArtist = AudioTagKey(rawValue: "album_artist")
  /// The track's number, alone or as number/total.
  public static let track = AudioTagKey(rawValue: "track")
  /// The disc's number, alone or as number/total.
  public static let disc = AudioTagKey(rawValue: "disc")
  /// The year, or date, of recording or release.
  public static let date = AudioTagKey(rawValue: "date")
  /// The kind of music.
  public static let genre = AudioTagKey(rawValue: "genre")
  /// The composer of the music.
  public static let composer = AudioTagKey(rawValue: "composer")
  /// Any remark.
  public static let comment = AudioTagKey(rawValue: "comment")
  /// The copyright notice.
  public static let copyright = AudioTagKey(rawValue: "copyright")
  /// The program that encoded the file.
  public static let encoder = AudioTagKey(rawValue: "encoder")
  /// The person or firm that encoded the file.
  public static let encodedBy = AudioTagKey(rawValue: "encoded_by")
  /// The language of the lyrics.
  public static let language = AudioTagKey(rawValue: "language")
  /// The lyrics.
  public static let lyrics = AudioTagKey(rawValue: "lyrics")
  /// The file's description of itself.
  public static let description = AudioTagKey(rawValue: "description")
  /// The international standard recording code.
  public static let isrc = AudioTagKey(rawValue: "ISRC")
  /// Beats a minute.
  public static let tempo = AudioTagKey(rawValue: "TBPM")

  /// The key's name in Core Audio's info dictionary (`kAFInfoDictionary_…`, AudioFile.h); the name
  /// itself if Core Audio has none.
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
