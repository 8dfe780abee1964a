// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser

/// Checks every call against the listener's rules, and keeps a digest of the reports.
struct FuzzListener: AudioFileStreamListener {
  /// The stream, against which packets are compared; nil when positions are uncertain.
  var input: [UInt8]?
  var digest: [Int64] = []
  private var end: Int64 = 0
  private var nextPacket: Int64 = 0
  private var isReady = false

  init(input: [UInt8]?) {
    self.input = input
  }

  /// Prepares for a seek, after which packets continue at another byte offset.
  mutating func restart() {
    end = 0
    nextPacket = -1
  }

  /// Allows the next packets to lie before the last ones, with consecutive numbers.
  mutating func isElsewhere() { end = 0 }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID
  ) {
    digest.append(Int64(property.rawValue.rawValue))
    if property == .readyToProducePackets { isReady = true }
    if property == .fileFormat { precondition(digest.count == 1 || digest[0] < 0) }
    digest.append((try? stream.dataOffset) ?? -1)
    digest.append((try? stream.audioDataByteCount) ?? -1)
    digest.append(Int64((try? stream.bitRate) ?? -1))
    digest.append((try? stream.duration.frames) ?? -1)
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, skipped gap: AudioFileStreamGap
  ) {
    precondition(gap.byteCount >= 0 && gap.byteOffset >= 0 && gap.frameCount ?? 0 >= 0)
    precondition(gap.byteCount > 0 || gap.isLoss)
    if let input { precondition(gap.byteOffset + gap.byteCount <= Int64(input.count)) }
    digest += [-1, gap.byteCount, gap.byteOffset, gap.frameCount ?? -1]
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, produced packets: AudioFileStreamPackets,
    bytes: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>
  ) {
    precondition(isReady && stream.isReadyToProducePackets, "packets before ready")
    precondition(packets.packetCount > 0 && bytes.count > 0)
    let isJoined = (try? stream.fileFormat) == .ogg
    precondition(packets.byteOffset >= end || isJoined, "packets overlap")
    // Packets of FLAC and of an index have their own numbers: missing packets leave numbers out.
    let types: [AudioFileTypeID] = [.flac, .mpeg4, .m4a, .m4b, .threeGPP, .threeGPP2]
    let isNumbered = (try? stream.fileFormat).map(types.contains) ?? false
    precondition(
      nextPacket < 0 || packets.firstPacketIndex == nextPacket
        || (isNumbered && packets.firstPacketIndex > nextPacket), "numbers jump")
    nextPacket = packets.firstPacketIndex + Int64(packets.packetCount)
    end = packets.byteOffset + Int64(bytes.count)
    if let input, !isJoined {
      let place = Int(packets.byteOffset)
      let isInput =
        end <= Int64(input.count) && (0..<bytes.count).allSatisfy { bytes[$0] == input[place + $0] }
      if !isInput {
        // Frames of silence have the byte offset of the lost ones.
        precondition(isNumbered && bytes.count <= 64 * packets.packetCount, "other bytes")
        end = packets.byteOffset
      }
    }
    let bytesPerPacket = Int((try? stream.dataFormat.bytesPerPacket) ?? 0)
    let bound = (try? stream.packetSizeUpperBound) ?? 0
    if descriptions.isEmpty {
      precondition(bytes.count == packets.packetCount * bytesPerPacket)
    } else {
      precondition(descriptions.count == packets.packetCount)
      // The last of constant-size packets may be short.
      precondition(
        (try? stream.dataFormat)?.needsPacketDescriptions == true
          || (packets.packetCount == 1 && bytes.count < bytesPerPacket))
      check(descriptions, at: packets.byteOffset, byteCount: bytes.count, bound: bound)
    }
  }

  /// Checks that packets are contiguous or apart, and that none exceeds the bound.
  private mutating func check(
    _ descriptions: Span<AudioStreamPacketDescription>, at offset: Int64, byteCount: Int, bound: Int
  ) {
    var place: Int64 = 0
    for index in 0..<descriptions.count {
      let description = descriptions[index]
      precondition(description.startOffset >= place, "packets overlap")
      precondition(Int(description.dataByteSize) <= bound, "a packet above the bound")
      place = description.startOffset + Int64(description.dataByteSize)
      digest += [
        offset + place, Int64(description.dataByteSize), Int64(description.variableFramesInPacket),
      ]
    }
    precondition(place <= Int64(byteCount), "a packet beyond the bytes")
  }
}

/// A generator of numbers for the slicing, seeded from the input.
struct FuzzRandom {
  var state: UInt64

  mutating func next(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }
}

/// Parses an input whole and in slices, and requires the same result.
func fuzzSlicing(_ input: [UInt8], hint: AudioFileTypeID?, seed: UInt64) {
  func run(_ size: (Int) -> Int) -> [Int64] {
    var stream = AudioFileStream(hint: hint)
    var listener = FuzzListener(input: input)
    var place = 0
    do throws(AudioFileStreamError) {
      while place < input.count {
        let count = min(size(place), input.count - place)
        try stream.parse(input.span.extracting(place..<place + count), listener: &listener)
        place += count
      }
      try stream.finish(listener: &listener)
    } catch {
      listener.digest += [-2, Int64(error.code.fourCharacterCode.rawValue), error.byteOffset]
    }
    return listener.digest
  }
  let whole = run { _ in input.count }
  var random = FuzzRandom(state: seed)
  // Single bytes for a short input; about a thousand slices are enough for a longer one.
  let longest = max([1, 5, 50, 700][random.next(4)], input.count / 500)
  let sliced = run { _ in random.next(longest + 1) }
  guard whole != sliced else { return }
  let place = zip(whole, sliced).prefix { $0 == $1 }.count
  fatalError(
    "the slicing shows, from the digest's place \(place) on: "
      + "\(whole.dropFirst(place).prefix(8)) whole, \(sliced.dropFirst(place).prefix(8)) sliced")
}

/// A hint chosen by a byte of the input.
func fuzzHint(_ byte: UInt8) -> AudioFileTypeID? {
  let hints: [AudioFileTypeID?] = [
    nil, .mpegLayer3, .mpegLayer2, .wave, .aacADTS, .mpeg4, .ogg, nil,
  ]
  return hints[Int(byte & 7)]
}

/// Sizes of the packets with the numbers from `first` on.
private struct PacketSizes: AudioFileStreamListener {
  var first: Int64?
  var sizes: [UInt32] = []
  private var formatCount = 0
  private var hasLosses = false
  /// Whether sound is lost and the format changes. Silence that replaces lost frames has the latest format, so
  /// its packets differ after a seek back.
  var hasSilenceOfTwoFormats: Bool { formatCount > 1 && hasLosses }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID
  ) {
    if property == .dataFormat { formatCount += 1 }
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, skipped gap: AudioFileStreamGap
  ) {
    hasLosses = hasLosses || gap.isLoss
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, produced packets: AudioFileStreamPackets,
    bytes: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>
  ) {
    if first == nil { first = packets.firstPacketIndex }
    // Numbers of lost packets have no size.
    while Int64(sizes.count) < packets.firstPacketIndex - first!, sizes.count < 1 << 16 {
      sizes.append(0)
    }
    guard Int64(sizes.count) == packets.firstPacketIndex - first! else { return }
    for index in 0..<descriptions.count { sizes.append(descriptions[index].dataByteSize) }
  }
}

/// Parses a whole input, then seeks to some packets: each packet with an exact byte offset must be found there.
func fuzzSeeking(_ input: [UInt8], seed: UInt64) {
  var random = FuzzRandom(state: seed)
  var stream = AudioFileStream()
  if random.next(2) == 0 {
    stream.tell(totalByteCount: Int64(input.count), tail: input.span)
  }
  var linear = PacketSizes()
  do throws(AudioFileStreamError) {
    try stream.parse(input.span, listener: &linear)
    try stream.finish(listener: &linear)
    let end = (linear.first ?? 0) + Int64(linear.sizes.count)
    if linear.hasSilenceOfTwoFormats { return }
    for _ in 0..<4 where end > 0 {
      let packet = Int64(random.next(Int(min(end, 1 << 30))))
      guard let target = try? stream.seek(toPacket: packet) else { continue }
      let start = Int(clamping: (try stream.dataOffset) + target.byteOffset)
      var found = PacketSizes()
      if start < input.count {
        try stream.parse(input.span.extracting(start..<input.count), listener: &found)
      }
      try stream.finish(listener: &found)
      let place = Int(packet - (linear.first ?? 0))
      guard !target.isEstimated, place >= 0, place < linear.sizes.count, linear.sizes[place] > 0
      else { continue }
      precondition(found.first == packet, "an exact seek found another packet")
      precondition(found.sizes.first == linear.sizes[place], "an exact seek found another size")
    }
  } catch {
    precondition(!error.message.isEmpty)
  }
}
