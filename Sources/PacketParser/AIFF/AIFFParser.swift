// SPDX-License-Identifier: MIT

import AudioModel

struct AIFFParser: ContainerParser {
  private(set) var facts = StreamFacts()
  private(set) var details: StreamDetails
  private(set) var descriptions: [AudioStreamPacketDescription] = []

  init(_ context: ParserContext) {
    details = StreamDetails(context)
  }

  mutating func step(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    throw AudioFileStreamError(.unsupportedFileType, at: offset, "AIFF is not supported")
  }

  func seekTarget(packet: Int64) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget {
    AudioFileStreamSeekTarget(packet: packet, byteOffset: 0, isEstimated: true)
  }

  mutating func reposition(to target: AudioFileStreamSeekTarget) {}
}
