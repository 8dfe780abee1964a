// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import PlayerEngine

/// The facts of one file or stream, to be laid out for people or for programs.
struct InfoSheet {
  /// The file's path or the URL without credentials, in one line.
  var location: String
  /// The path as it is, for programs; nil of what is no file, or could not be opened.
  var path: String?
  var summary = StreamSummary()
  /// Whether the source can be read from any place; nil until it has been opened and has answered.
  var isRepositionable: Bool?
  /// What was lost; nil if the stream was not read to its end.
  var account: TrackAccount?
  /// The digest of the packets' places and sizes.
  var packetsSHA: String?
  var packets: PacketList?
  /// What went wrong, in one line.
  var error: String?

  init(location: String) {
    self.location = location
  }
}
