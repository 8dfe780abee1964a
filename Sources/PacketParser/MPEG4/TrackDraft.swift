// SPDX-License-Identifier: MIT

import AudioModel

/// A track as far as its boxes were read.
struct TrackDraft {
  var id: UInt32 = 0
  var isEnabled = true
  /// What kind of media it is: `soun`.
  var handler: FourCharacterCode?
  /// Units per second.
  var timescale: UInt32 = 0
  var edits = EditList()
  /// The version of `stsd`, which tells QuickTime's sample entries from later ones.
  var descriptionVersion: UInt8 = 0
  var entries: [SampleEntry] = []
  /// Where the first entry lies.
  var entryOffset: Int64 = 0
  var times = TimeToSample()
  var sizes = SampleSizes()
  var chunks = ChunkTable()

  static let maximumEntries = 16

  /// Whether its content is worth reading.
  var mayBeSound: Bool { handler == nil || handler == "soun" }
}

/// The track that is parsed.
struct SoundTrack {
  var id: UInt32
  var encoding: TrackEncoding
  var scale: TimeScale
  var times: TimeToSample
  var map: SampleMap
  var edits: EditList

  /// Makes the track of its boxes.
  init(_ draft: TrackDraft, at offset: Int64) throws(AudioFileStreamError) {
    id = draft.id
    times = draft.times
    edits = draft.edits
    let used = draft.chunks.runs.first.map { Int($0.entry) } ?? 1
    guard used >= 1, used <= draft.entries.count else {
      throw AudioFileStreamError(
        .invalidFile, at: offset, "the audio track does not say how it is encoded")
    }
    guard draft.chunks.runs.allSatisfy({ Int($0.entry) == used }) else {
      throw AudioFileStreamError(
        .unsupportedDataFormat, at: draft.entryOffset,
        "the audio track changes its encoding on the way, which is not supported: "
          + "ffmpeg can encode it anew")
    }
    encoding = try TrackEncoding(
      draft.entries[used - 1], timescale: draft.timescale, at: draft.entryOffset)
    let format = encoding.dataFormat
    scale = TimeScale(
      frameRate: Int64(format.sampleRate), unitsPerSecond: Int64(max(1, draft.timescale)))
    // In QuickTime's sound of constant packets a sample is a frame.
    let isFrames = format.bytesPerPacket > 0 && times.isOneUnitEach
    let isPackets = draft.sizes.uniform == Int(format.bytesPerPacket)
    map = try SampleMap(
      chunks: draft.chunks, sizes: draft.sizes, bytesPerPacket: Int(format.bytesPerPacket),
      framesPerPacket: isFrames && !(isPackets && format.framesPerPacket > 1)
        ? Int(format.framesPerPacket) : 0,
      at: offset)
    if !encoding.hasFixedFrames { settleFrames() }
  }

  /// Frames per packet by the durations of the samples.
  private mutating func settleFrames() {
    guard map.packetCount > 0, let common = times.common(sampleCount: map.packetCount) else {
      return
    }
    let frames = scale.frames(Int64(common))
    // Only if it comes out even are all packets of that duration.
    guard frames > 0, frames <= 1 << 20, scale.units(frames) == Int64(common) else { return }
    encoding.dataFormat.framesPerPacket = UInt32(frames)
  }

  /// Takes layer and rate from the first packet's header.
  mutating func take(_ header: MPEGAudioHeader) {
    encoding.take(header)
    scale.frameRate = Int64(encoding.dataFormat.sampleRate)
  }

  /// Frames of all packets that the tables list.
  var frameCount: Int64 {
    let framesPerPacket = Int64(encoding.dataFormat.framesPerPacket)
    if framesPerPacket > 0 { return map.packetCount * framesPerPacket }
    return scale.frames(times.time(of: map.packetCount))
  }

  /// The duration of all packets by the table of their durations, which may end in the last one; nil
  /// if there is none.
  var statedDuration: Int64? {
    guard times.total > 0, map.packetCount > 0 else { return nil }
    if encoding.dataFormat.bytesPerPacket > 0 || times.sampleCount <= map.packetCount {
      return times.total
    }
    return times.time(of: map.packetCount)
  }

  /// The frames of one packet, where packets differ.
  func frames(ofPacket packet: Int64) -> UInt32 {
    UInt32(clamping: firstFrame(ofPacket: packet + 1) - firstFrame(ofPacket: packet))
  }

  func firstFrame(ofPacket packet: Int64) -> Int64 { scale.frames(times.time(of: packet)) }

  /// The packet that holds a frame, where packets differ in duration.
  func packet(atFrame frame: Int64) -> Int64? {
    guard frame >= 0, frame < frameCount else { return nil }
    // The last one that begins there or before, by halving.
    var low: Int64 = 0
    var high = map.packetCount
    while low < high {
      let middle = low + (high - low) / 2
      if firstFrame(ofPacket: middle) <= frame { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }
}
