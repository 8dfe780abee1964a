// SPDX-License-Identifier: MIT

import AudioModel

/// The byte offsets of all packets of a track, from its tables, chunk by chunk.
///
/// Each packet is a sample. In encodings of constant packets, however, a sample may be a frame, a
/// packet, or several packets.
struct SampleMap {
  /// Consecutive chunks with the same number of packets.
  private struct Run {
    var firstChunk: Int
    var firstPacket: Int64
    var packetsPerChunk: Int64
    var entry: UInt32
  }

  /// The position of a packet.
  struct Place {
    var chunk: Int
    var byteOffset: Int64
    /// Packets from this one to the end of its chunk.
    var left: Int64
    /// The number of the chunk's sample entry, from 1.
    var entry: UInt32
  }

  private var runs: [Run] = []
  private let chunks: ChunkTable
  private var sizes: SampleSizes
  private(set) var packetCount: Int64 = 0
  private(set) var byteCount: Int64 = 0
  private(set) var largestPacket = 0
  /// The byte offsets at which the first chunk begins and the last one ends.
  private(set) var start = Int64.max
  private(set) var end: Int64 = 0
  /// Whether each chunk follows the previous one.
  private(set) var isInOrder = true

  private static let maximumOffset = Int64(1) << 60

  /// - Parameters:
  ///   - bytesPerPacket: the packet size of an encoding of constant packets; otherwise 0.
  ///   - framesPerPacket: samples in a packet if a sample is a frame; otherwise 0.
  ///   - offset: the byte offset of the tables, for errors.
  init(
    chunks: ChunkTable, sizes: SampleSizes, bytesPerPacket: Int, framesPerPacket: Int,
    at offset: Int64
  ) throws(AudioFileStreamError) {
    self.chunks = chunks
    self.sizes = sizes
    if chunks.isContradictory { throw Self.invalid("its chunks are not in order", offset) }
    if sizes.uniform > MPEG4Parser.maximumPacketBytes {
      throw Self.invalid("its packets have \(sizes.uniform) bytes each", offset)
    }
    if bytesPerPacket == 0 {
      addRuns(samples: sizes.count) { $0 }
    } else if framesPerPacket > 0 {
      addRuns(samples: sizes.count / Int64(framesPerPacket)) { $0 / Int64(framesPerPacket) }
    } else if sizes.uniform > 0 {
      let factor = sizes.uniform / bytesPerPacket
      addRuns(samples: sizes.count * Int64(factor)) { $0 * Int64(factor) }
    } else {
      addRunsBySizes(bytesPerPacket)
    }
    guard packetCount <= MPEG4Parser.maximumPackets else {
      throw Self.invalid("there are \(packetCount) packets", offset)
    }
    if bytesPerPacket > 0 {
      self.sizes = SampleSizes()
      self.sizes.uniform = bytesPerPacket
      self.sizes.uniformCount = packetCount
    }
    byteCount = self.sizes.bytes(before: packetCount)
    largestPacket = packetCount > 0 ? self.sizes.largest : 0
    try surveyChunks(at: offset)
  }

  /// Adds runs of chunks until all packets are assigned.
  private mutating func addRuns(samples: Int64, _ packets: (Int64) -> Int64) {
    for (index, run) in chunks.runs.enumerated() {
      let next = index + 1 < chunks.runs.count ? chunks.runs[index + 1].firstChunk : chunks.count
      let chunkCount = Int64(min(next, chunks.count) - run.firstChunk)
      guard chunkCount > 0, packetCount < samples else { return }
      let perChunk = packets(Int64(run.samplesPerChunk))
      guard perChunk > 0 else { continue }
      runs.append(
        Run(
          firstChunk: run.firstChunk, firstPacket: packetCount, packetsPerChunk: perChunk,
          entry: run.entry))
      let (packets, overflow) = perChunk.multipliedReportingOverflow(by: chunkCount)
      packetCount = overflow ? samples : min(samples, packetCount + min(packets, samples))
    }
  }

  /// Adds samples of different sizes that are several constant packets each.
  private mutating func addRunsBySizes(_ bytesPerPacket: Int) {
    var sample: Int64 = 0
    for (index, run) in chunks.runs.enumerated() {
      let next = index + 1 < chunks.runs.count ? chunks.runs[index + 1].firstChunk : chunks.count
      var chunk = run.firstChunk
      while chunk < min(next, chunks.count), sample < sizes.count {
        let end = min(sizes.count, sample + Int64(run.samplesPerChunk))
        let bytes = sizes.bytes(before: end) - sizes.bytes(before: sample)
        let packets = bytes / Int64(bytesPerPacket)
        if packets > 0 {
          let last = runs.last
          if last?.packetsPerChunk != packets || last?.entry != run.entry
            || last.map(chunkEnd) != chunk
          {
            runs.append(
              Run(
                firstChunk: chunk, firstPacket: packetCount, packetsPerChunk: packets,
                entry: run.entry))
          }
          packetCount += packets
        }
        sample = end
        chunk += 1
      }
    }
  }

  /// Returns the chunk after the last one of the run that is being extended.
  private func chunkEnd(_ run: Run) -> Int {
    run.firstChunk + Int((packetCount - run.firstPacket) / run.packetsPerChunk)
  }

  /// Finds the extent of the chunks and checks their order. They must not overlap: repeated bytes would
  /// turn a small file into an endless one.
  private mutating func surveyChunks(at offset: Int64) throws(AudioFileStreamError) {
    var packet: Int64 = 0
    var extents: [(start: Int64, end: Int64)] = []
    while packet < packetCount {
      let place = place(of: packet)
      let last = packet + place.left
      guard place.byteOffset < Self.maximumOffset else {
        throw Self.invalid("a chunk begins at byte \(place.byteOffset)", offset)
      }
      let byteEnd =
        place.byteOffset + sizes.bytes(before: last) - sizes.bytes(before: packet)
      if place.byteOffset < end, isInOrder {
        isInOrder = false
        extents = self.extents(upTo: packet)
      }
      if !isInOrder { extents.append((place.byteOffset, byteEnd)) }
      start = min(start, place.byteOffset)
      end = max(end, byteEnd)
      packet = last
    }
    guard !isInOrder else { return }
    extents.sort { $0.start < $1.start }
    for (one, next) in zip(extents, extents.dropFirst()) where one.end > next.start {
      throw Self.invalid("two chunks hold the same bytes, those at \(next.start)", offset)
    }
  }

  private func extents(upTo end: Int64) -> [(start: Int64, end: Int64)] {
    var packet: Int64 = 0
    var extents: [(start: Int64, end: Int64)] = []
    while packet < end {
      let place = place(of: packet)
      let bytes = sizes.bytes(before: packet + place.left) - sizes.bytes(before: packet)
      extents.append((place.byteOffset, place.byteOffset + bytes))
      packet += place.left
    }
    return extents
  }

  private static func invalid(_ text: String, _ offset: Int64) -> AudioFileStreamError {
    AudioFileStreamError(
      .invalidFile, at: offset, "the audio track's tables contradict themselves: \(text)")
  }
}

extension SampleMap {
  /// Returns the position of a packet.
  func place(of packet: Int64) -> Place {
    let run = runs[lastRun { $0.firstPacket <= packet } ?? 0]
    let chunk = run.firstChunk + Int((packet - run.firstPacket) / run.packetsPerChunk)
    let first = packet - (packet - run.firstPacket) % run.packetsPerChunk
    let end = min(packetCount, first + run.packetsPerChunk)
    let before = packet == first ? 0 : sizes.bytes(before: packet) - sizes.bytes(before: first)
    return Place(
      chunk: chunk, byteOffset: chunks.offset(chunk) + before, left: end - packet,
      entry: run.entry)
  }

  /// A packet's bytes.
  func size(of packet: Int64) -> Int { sizes[packet] }

  /// Returns the bytes of packets that lie side by side.
  func bytes(of packets: Range<Int64>) -> Int64 {
    sizes.bytes(before: packets.upperBound) - sizes.bytes(before: packets.lowerBound)
  }

  /// Returns the first packet from this one on that is not empty; the end if there is none.
  func firstNonEmpty(from packet: Int64) -> Int64 {
    var packet = packet
    while packet < packetCount, sizes[packet] == 0 { packet += 1 }
    return packet
  }

  /// Returns the packet that holds a byte of the stream; nil for a byte between packets.
  func packet(atByte byte: Int64) -> (packet: Int64, byteOffset: Int64)? {
    guard byte >= start, byte < end else { return nil }
    if isInOrder { return packet(atByte: byte, among: 0..<packetCount) }
    var first: Int64 = 0
    while first < packetCount {
      let end = first + place(of: first).left
      if let found = packet(atByte: byte, among: first..<end) { return found }
      first = end
    }
    return nil
  }

  /// Returns the packet that holds a byte, among packets that lie in order.
  private func packet(
    atByte byte: Int64, among packets: Range<Int64>
  ) -> (packet: Int64, byteOffset: Int64)? {
    // Binary search for the first packet that begins after the byte.
    var low = packets.lowerBound
    var high = packets.upperBound
    while low < high {
      let middle = low + (high - low) / 2
      if place(of: middle).byteOffset <= byte { low = middle + 1 } else { high = middle }
    }
    guard low > packets.lowerBound else { return nil }
    let start = place(of: low - 1).byteOffset
    return byte < start + Int64(sizes[low - 1]) ? (low - 1, byte - start) : nil
  }

  private func lastRun(_ holds: (Run) -> Bool) -> Int? {
    var low = 0
    var end = runs.count
    while low < end {
      let middle = low + (end - low) / 2
      if holds(runs[middle]) { low = middle + 1 } else { end = middle }
    }
    return low > 0 ? low - 1 : nil
  }
}
