// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import PlayerEngine

/// The facts about one file or stream, as the source of the text and the JSON.
struct InfoSheet {
  /// The file's path or the URL without credentials, in one line.
  var location: String
  /// The unchanged path, for programs; nil if it is not a file or could not be opened.
  var path: String?
  var summary = StreamSummary()
  /// Whether the source can be read from any byte offset; nil until it is opened and, on the web, has answered.
  var isRepositionable: Bool?
  /// The counts of packets and losses; nil if the stream was not read to its end.
  var account: TrackAccount?
  /// The digest of the packets' byte offsets and sizes.
  var packetsSHA: String?
  var packets: PacketList?
  /// The error, in one line.
  var error: String?

  init(location: String) {
    self.location = location
  }
}
