// SPDX-License-Identifier: MIT

public import AudioModel
internal import PacketParser

/// A file's packets, as the parser delivers them.
public struct PacketFile {
  /// All packets, one behind the other.
  public var bytes: [UInt8] = []
  /// The byte range of each packet; computed for packets of one size.
  public var descriptions: [AudioStreamPacketDescription] = []
  /// The stream's description for a decoder.
  public var stream: CodedStreamDescription
  /// The priming, valid and remainder frames of the decode, if the file states them.
  public var tableInfo: AudioFilePacketTableInfo?

  /// The packets' format.
  public var format: AudioStreamBasicDescription { stream.format }
  /// The number of packets.
  public var count: Int { descriptions.count }

  /// Each packet's bytes.
  public var packets: [[UInt8]] {
    descriptions.map { description in
      let start = Int(description.startOffset)
      return Array(bytes[start..<start + Int(description.dataByteSize)])
    }
  }

  /// Parses a file.
  public init(path: String) throws {
    let contents = contents(ofFile: path)
    var stream = AudioFileStream()
    var collector = Collector()
    try stream.parse(contents.span, listener: &collector)
    try stream.finish(listener: &collector)
    self.stream = CodedStreamDescription(
      format: try stream.dataFormat, layout: try? stream.channelLayout,
      magicCookie: (try? stream.magicCookieData) ?? [])
    tableInfo = try? stream.packetTableInfo
    bytes = collector.bytes
    descriptions = collector.descriptions
  }

  /// Makes a file of linear PCM from its bytes, without a container.
  public init(_ format: AudioStreamBasicDescription, bytes: [UInt8]) {
    stream = CodedStreamDescription(format: format)
    self.bytes = bytes
    let size = Int(format.bytesPerPacket)
    descriptions = (0..<bytes.count / size).map {
      AudioStreamPacketDescription(
        startOffset: Int64($0 * size), variableFramesInPacket: 0, dataByteSize: UInt32(size))
    }
  }

  /// Returns the bytes of a run of packets, with descriptions relative to its start.
  public func run(_ range: Range<Int>) -> (
    bytes: [UInt8], descriptions: [AudioStreamPacketDescription]
  ) {
    guard let first = range.first, let last = range.last else { return ([], []) }
    let start = Int(descriptions[first].startOffset)
    let end = Int(descriptions[last].startOffset) + Int(descriptions[last].dataByteSize)
    let moved = descriptions[range].map { description in
      var moved = description
      moved.startOffset -= Int64(start)
      return moved
    }
    return (Array(bytes[start..<end]), moved)
  }
}

private struct Collector: AudioFileStreamListener {
  var bytes: [UInt8] = []
  var descriptions: [AudioStreamPacketDescription] = []

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID
  ) {}

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, produced packets: AudioFileStreamPackets,
    bytes: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>
  ) {
    let size = bytes.count / packets.packetCount
    for index in 0..<packets.packetCount {
      var description = AudioStreamPacketDescription(
        startOffset: Int64(index * size), variableFramesInPacket: 0, dataByteSize: UInt32(size))
      if descriptions.count > 0 { description = descriptions[index] }
      let start = Int(description.startOffset)
      description.startOffset = Int64(self.bytes.count)
      self.descriptions.append(description)
      for place in start..<start + Int(description.dataByteSize) { self.bytes.append(bytes[place]) }
    }
  }
}
