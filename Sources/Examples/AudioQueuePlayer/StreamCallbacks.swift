// SPDX-License-Identifier: MIT

import Drawbar

/// A packet found by the parser; for linear PCM, whose packets are single frames, many of them.
struct KeptPacket {
  var bytes: [UInt8]
  var frameCount: Int
}

/// The parser's two callbacks: the tutorial's property listener and packets callback.
struct StreamCallbacks: StreamDriverListener {
  let player: AudioQueuePlayer

  func audioFileStream(
    _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID
  ) {
    // The tutorial waits for the data format. With `'redy'` the magic cookie is known, too, which AAC and similar
    // formats need.
    let isChange = property == .dataFormat && stream.isReadyToProducePackets
    if property == .readyToProducePackets || isChange { player.createQueue(for: stream) }
  }

  func audioFileStream(
    _ stream: borrowing AudioFileStream, produced run: AudioFileStreamPackets,
    bytes: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>
  ) {
    guard let format = try? stream.dataFormat else { return }
    // Packets that all have one size come without descriptions.
    if descriptions.isEmpty {
      let frames = run.packetCount * Int(format.framesPerPacket)
      player.store([KeptPacket(bytes: bytes.indices.map { bytes[$0] }, frameCount: frames)])
      return
    }
    player.store(
      descriptions.indices.map { index in
        let description = descriptions[index]
        let start = Int(description.startOffset)
        let end = start + Int(description.dataByteSize)
        let frames =
          format.framesPerPacket > 0 ? format.framesPerPacket : description.variableFramesInPacket
        return KeptPacket(bytes: (start..<end).map { bytes[$0] }, frameCount: Int(frames))
      })
  }
}
