// SPDX-License-Identifier: MIT

import PlayerEngine

extension TrackAccount {
  /// The lost sound, for programs.
  var lossMembers: [(String, JSONValue)] {
    [
      ("lossCount", .integer(Int64(lossCount))),
      ("lostSeconds", lossCount == 0 || isLossLengthKnown ? .number(lostSeconds) : .null),
      ("losses", .array(AnySequence(losses.map(\.json)))),
    ]
  }

  /// The whole account, for programs.
  var members: [(String, JSONValue)] {
    [
      ("statedSeconds", .optional(statedNanoseconds.map { Double($0) / 1e9 })),
      ("fetchedByteCount", .integer(Int64(clamping: fetchedByteCount))),
      ("parsedPacketCount", .integer(parsedPacketCount)),
      ("parsedSeconds", .number(Double(parsedNanoseconds) / 1e9)),
      ("deliveredSeconds", .number(Double(deliveredNanoseconds) / 1e9)),
    ] + lossMembers
  }

  private var lostSeconds: Double { Double(lostNanoseconds) / 1e9 }
}

extension SoundLoss {
  fileprivate var json: JSONValue {
    .object([
      ("cause", .string(cause.rawValue)),
      ("byteOffset", .optional(byteOffset)),
      ("byteCount", .integer(byteCount)),
      ("seconds", .optional(nanoseconds.map { Double($0) / 1e9 })),
    ])
  }
}
