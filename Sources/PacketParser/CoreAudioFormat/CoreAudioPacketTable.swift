// SPDX-License-Identifier: MIT

import AudioModel

/// The sizes and durations of all packets, kept as stored in the file, with a mark at every
/// sixty-fourth packet: memory is little more than the bytes received.
///
/// An entry has the packet's size if packets differ in size, then its frames if they differ in
/// duration. Each number has seven bits a byte, the highest first, with the top bit set in all bytes
/// but the last.
struct CoreAudioPacketTable {
  /// The most packets: a day and a half of AAC frames at 96 kHz.
  static let maximumPackets: Int64 = 1 << 24
  static let maximumPacketBytes = 4 << 20

  /// Packets from one mark to the next.
  private static let spacing: Int64 = 64

  /// The beginning of a packet.
  struct Place {
    var packet: Int64
    /// Bytes from the first packet.
    var byteOffset: Int64
    /// Frames from the first packet.
    var frame: Int64 = 0
    /// The index of its entry's first byte.
    fileprivate var entry = 0

    init(packet: Int64 = 0, byteOffset: Int64 = 0) {
      self.packet = packet
      self.byteOffset = byteOffset
    }
  }

  /// The content of an entry.
  struct Packet {
    var byteCount: Int64
    var frames: Int64
  }

  /// Constant bytes per packet; 0 if the entries state them.
  let bytesPerPacket: Int64
  /// Constant frames per packet; 0 if the entries state them.
  private(set) var framesPerPacket: Int64
  private var entries: [UInt8] = []
  private var marks: [Place] = []
  /// The end of the last packet.
  private(set) var end = Place()
  /// Bytes of the largest packet.
  private(set) var largest = 0
  /// Whether packets whose bytes are missing were removed.
  private(set) var isCut = false

  init(_ format: AudioStreamBasicDescription) {
    bytesPerPacket = Int64(format.bytesPerPacket)
    framesPerPacket = Int64(format.framesPerPacket)
  }

  /// The result of reading an entry.
  enum Reading {
    case added(byteCount: Int)
    /// More bytes are needed.
    case isCut
    case refused(String)
  }

  /// Adds the packet whose entry is at `place`.
  mutating func add(_ bytes: Span<UInt8>, at place: Int) -> Reading {
    var next = place
    var packet = Packet(byteCount: bytesPerPacket, frames: framesPerPacket)
    if bytesPerPacket == 0 {
      guard let value = Self.value(bytes, &next) else { return .isCut }
      packet.byteCount = value
    }
    if packet.byteCount > Self.maximumPacketBytes {
      return .refused("a size above \(Self.maximumPacketBytes) bytes")
    }
    if framesPerPacket == 0 {
      guard let value = Self.value(bytes, &next) else { return .isCut }
      packet.frames = value
    }
    if packet.frames > CoreAudioDescription.maximumFramesPerPacket {
      return .refused("a duration above \(CoreAudioDescription.maximumFramesPerPacket) frames")
    }
    // ffmpeg writes an empty entry after FLAC's last packet; it is no packet.
    if packet.byteCount > 0 { append(packet, bytes, place..<next) }
    return .added(byteCount: next - place)
  }

  /// Reads the number at `place` and advances `place`; nil if the number is incomplete. A number of
  /// more than five bytes is read as one above all limits.
  private static func value(_ bytes: Span<UInt8>, _ place: inout Int) -> Int64? {
    var value: Int64 = 0
    for _ in 0..<5 {
      guard place < bytes.count else { return nil }
      let byte = bytes[place]
      place += 1
      value = value << 7 | Int64(byte & 0x7F)
      if byte & 0x80 == 0 { return value }
    }
    return .max
  }

  private mutating func append(_ packet: Packet, _ bytes: Span<UInt8>, _ range: Range<Int>) {
    if end.packet % Self.spacing == 0 { marks.append(end) }
    for index in range { entries.append(bytes[index]) }
    largest = max(largest, Int(packet.byteCount))
    advance(&end, over: packet)
    end.entry = entries.count
  }

  private func advance(_ place: inout Place, over packet: Packet) {
    place.packet += 1
    place.byteOffset += packet.byteCount
    place.frame += packet.frames
  }

  /// Removes the packets that do not end within the first `limit` bytes.
  mutating func cut(toByteCount limit: Int64) {
    guard end.byteOffset > limit else { return }
    isCut = true
    end = place(atByte: limit) ?? Place()
    marks.removeAll { $0.packet >= end.packet }
    entries.removeSubrange(end.entry...)
    largest = 0
    var place = Place()
    while let packet = next(&place) { largest = max(largest, Int(packet.byteCount)) }
  }

  /// Replaces the file's frames per packet with the packets' real ones.
  mutating func correct(framesPerPacket frames: Int64) {
    framesPerPacket = frames
    for index in marks.indices { marks[index].frame = marks[index].packet * frames }
    end.frame = end.packet * frames
  }

  /// Returns the packet at a place and advances the place; nil at the end.
  func next(_ place: inout Place) -> Packet? {
    guard let packet = peek(&place) else { return nil }
    advance(&place, over: packet)
    return packet
  }

  /// Reads the entry at a place and advances only the place's entry index.
  private func peek(_ place: inout Place) -> Packet? {
    guard place.packet < end.packet else { return nil }
    var packet = Packet(byteCount: bytesPerPacket, frames: framesPerPacket)
    if bytesPerPacket == 0 { packet.byteCount = value(&place.entry) }
    if framesPerPacket == 0 { packet.frames = value(&place.entry) }
    return packet
  }

  private func value(_ entry: inout Int) -> Int64 {
    var value: Int64 = 0
    while true {
      let byte = entries[entry]
      entry += 1
      value = value << 7 | Int64(byte & 0x7F)
      if byte & 0x80 == 0 { return value }
    }
  }

  /// Returns the beginning of a packet; nil past the end.
  func place(ofPacket packet: Int64) -> Place? {
    guard packet >= 0, packet < end.packet else { return nil }
    var place = marks[Int(packet / Self.spacing)]
    while place.packet < packet { _ = next(&place) }
    return place
  }

  /// Returns the beginning of the packet that holds this byte; nil past the end.
  func place(atByte byteOffset: Int64) -> Place? {
    last(notAbove: byteOffset, before: end.byteOffset) { $0.byteOffset }
  }

  /// Returns the beginning of the packet that holds this frame; nil past the end.
  func place(atFrame frame: Int64) -> Place? {
    last(notAbove: frame, before: end.frame) { $0.frame }
  }

  private func last(
    notAbove value: Int64, before limit: Int64, _ measure: (Place) -> Int64
  ) -> Place? {
    guard value >= 0, value < limit else { return nil }
    var low = 0
    var high = marks.count
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if measure(marks[middle]) <= value { low = middle } else { high = middle }
    }
    var place = marks[low]
    while true {
      var following = place
      guard next(&following) != nil, measure(following) <= value else { return place }
      place = following
    }
  }
}
