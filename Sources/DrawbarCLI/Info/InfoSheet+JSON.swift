// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import PlayerEngine

extension InfoSheet {
  /// Returns the facts for programs. Stable: the names and their order do not change between releases; new
  /// ones may be added.
  ///
  /// - Parameter listsPackets: whether the packets are included.
  func members(listsPackets: Bool) -> [(String, JSONValue)] {
    let format = summary.dataFormat
    let table = summary.packetTable
    let decoder = format.flatMap { DecoderChoice($0.formatID) }
    var members: [(String, JSONValue)] = [
      ("file", .string(path ?? location)),
      ("format", .optional(summary.fileFormat.map { "\($0)" })),
      ("dataFormat", .optional(format.map { "\($0.formatID)" })),
      ("sampleRate", .optional(format?.sampleRate)),
      ("channels", .optional(format.map { Int64($0.channelsPerFrame) })),
      (
        "bitsPerChannel",
        .optional(format.flatMap { $0.bitsPerChannel > 0 ? Int64($0.bitsPerChannel) : nil })
      ),
      ("framesPerPacket", .optional(format.map { Int64($0.framesPerPacket) })),
      ("dataOffset", .optional(summary.dataOffset)),
      ("audioDataByteCount", .optional(summary.audioDataByteCount)),
      ("packetCount", .optional(summary.packetCount)),
      ("packetsSHA", .optional(packetsSHA)),
      ("bitRate", .optional(summary.bitRate.map(Int64.init))),
      ("durationSeconds", .optional(summary.duration?.seconds)),
      ("durationSource", .optional(summary.duration.map { name($0.evidence) })),
      ("primingFrames", .optional(table.map { Int64($0.primingFrames) })),
      ("remainderFrames", .optional(table.map { Int64($0.remainderFrames) })),
      ("validFrames", .optional(table?.numberValidFrames)),
      ("seekable", .optional(isRepositionable)),
      (
        "tags",
        .object((summary.info?.entries ?? []).map { ($0.key.rawValue, .string($0.value)) })
      ),
      ("pictures", .array(AnySequence(summary.pictures.map(picture)))),
      ("decoder", .optional(decoder?.library)),
      ("decodedIn", .optional(decoder?.thread.rawValue)),
    ]
    members +=
      account?.lossMembers
      ?? ["lossCount", "lostSeconds", "losses"].map { ($0, JSONValue.null) }
    if listsPackets {
      members.append(("packets", packets.map { .array(AnySequence($0.lazy.map(row))) } ?? .null))
    }
    members.append(("error", .optional(error)))
    return members
  }

  private func picture(_ picture: AudioFilePicture) -> JSONValue {
    .object([
      ("kind", .integer(Int64(picture.kind))),
      ("mediaType", .string(picture.mediaType)),
      ("text", .string(picture.text)),
      ("byteCount", .integer(Int64(picture.byteCount))),
    ])
  }

  private func row(_ packet: PacketList.Packet) -> JSONValue {
    .array(
      AnySequence([
        .integer(packet.index), .integer(packet.frame), .integer(packet.byteOffset),
        .integer(packet.byteCount),
      ]))
  }

  private func name(_ evidence: AudioFileStreamDuration.Evidence) -> String {
    switch evidence {
    case .packetTable: "packetTable"
    case .frameCount: "frameCount"
    case .packetCount: "packetCount"
    case .byteCount: "byteCount"
    case .constantBitRate: "constantBitRate"
    case .averageOfPackets: "averageOfPackets"
    }
  }
}
