// SPDX-License-Identifier: MIT

import AudioModel

/// A track whose boxes are being read.
struct TrackDraft {
  var id: UInt32 = 0
  var isEnabled = true
  /// The kind of media: `soun` is sound.
  var handler: FourCharacterCode?
  /// Units per second.
  var timescale: UInt32 = 0
  var edits = EditList()
  /// The version of `stsd`, which distinguishes QuickTime's sample entries from later ones.
  var descriptionVersion: UInt8 = 0
  var entries: [SampleEntry] = []
  /// The byte offset of the first entry.
  var entryOffset: Int64 = 0
  var times = TimeToSample()
  var sizes = SampleSizes()
  var chunks = ChunkTable()

  /// Programs that join files write an entry for each of them.
  static let maximumEntries = 256

  /// Whether its content must be read: it is sound, or its kind is unknown.
  var mayBeSound: Bool { handler == nil || handler == "soun" }
}

/// The track that is parsed.
struct SoundTrack {
  var id: UInt32
  var encodings: EntryEncodings
  var scale: TimeScale
  var times: TimeToSample
  var map: SampleMap
  var edits: EditList

  /// The encoding of the present packets.
  var encoding: TrackEncoding {
    get { encodings.current }
    set { encodings.current = newValue }
  }

  /// Creates the track from its boxes.
  ///
  /// - Parameter fragmentEntry: the sample entry, from 1, of fragments that name none.
  init(
    _ draft: TrackDraft, fragmentEntry: UInt32?, at offset: Int64
  ) throws(AudioFileStreamError) {
    id = draft.id
    times = draft.times
    edits = draft.edits
    var used = draft.chunks.usedEntries
    // Fragments may use any other entry.
    if let fragmentEntry {
      used.append(fragmentEntry)
      for index in draft.entries.indices { used.append(UInt32(index + 1)) }
    }
    encodings = try EntryEncodings(draft, used: used, at: offset)
    let format = encodings.current.dataFormat
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
    settleFrames()
  }

  /// Sets the frames per packet from the durations of the samples.
  private mutating func settleFrames() {
    guard map.packetCount > 0, let common = times.common(sampleCount: map.packetCount) else {
      return
    }
    let frames = scale.frames(Int64(common))
    // The conversion must be exact for all packets to have that duration.
    guard frames > 0, frames <= 1 << 20, scale.units(frames) == Int64(common) else { return }
    encodings.forEach { encoding in
      if !encoding.hasFixedFrames { encoding.dataFormat.framesPerPacket = UInt32(frames) }
    }
  }

  /// Selects the encoding of the stream's first fragment.
  mutating func begin(withEntry number: UInt32) {
    guard let index = encodings.follower(number: number, isTimed: false),
      index != encodings.selected
    else { return }
    encodings.select(index)
    scale.frameRate = Int64(encoding.dataFormat.sampleRate)
  }

  /// Sets the layer and rate from the first packet's header.
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

  /// The duration of all packets by the table of durations, which may end within the last packet; nil
  /// if there is none.
  var statedDuration: Int64? {
    guard times.total > 0, map.packetCount > 0 else { return nil }
    if encoding.dataFormat.bytesPerPacket > 0 || times.sampleCount <= map.packetCount {
      return times.total
    }
    return times.time(of: map.packetCount)
  }

  /// Returns the frames of one packet, if packets differ.
  func frames(ofPacket packet: Int64) -> UInt32 {
    var scale = scale
    scale.frameRate = Int64(encoding.dataFormat.sampleRate)
    return UInt32(
      clamping: scale.frames(times.time(of: packet + 1)) - scale.frames(times.time(of: packet)))
  }

  func firstFrame(ofPacket packet: Int64) -> Int64 { scale.frames(times.time(of: packet)) }

  /// Returns the packet that holds a frame, if packets differ in duration.
  func packet(atFrame frame: Int64) -> Int64? {
    guard frame >= 0, frame < frameCount else { return nil }
    // Binary search for the last packet that begins at this frame or before.
    var low: Int64 = 0
    var high = map.packetCount
    while low < high {
      let middle = low + (high - low) / 2
      if firstFrame(ofPacket: middle) <= frame { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }
}
