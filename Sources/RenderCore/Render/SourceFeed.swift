// SPDX-License-Identifier: MIT

public import AudioModel

/// The feeding end of a source: streams and their packets go in, events come out.
///
/// One thread at a time. Nothing here waits: a full ring is an answer. Making a stream's converter
/// takes milliseconds and allocates, which is why it is done on this side.
public struct SourceFeed: ~Copyable, Sendable {
  private var producer: PacketRingProducer
  private let storage: SourceStorage
  private let outputRate: Int
  private let outputChannels: Int
  private let resamplerQuality: ResamplerQuality
  private var convertersInUse = 0
  private var lastStreamID: UInt32 = 0
  /// Given to every packet and mark from now on. Raise it before feeding what comes after a seek,
  /// and tell the ``SourceControl`` when that shall be heard.
  public var generation: UInt32 = 0

  init(
    producer: consuming PacketRingProducer, storage: SourceStorage, outputRate: Int,
    outputChannels: Int, resamplerQuality: ResamplerQuality
  ) {
    self.producer = producer
    self.storage = storage
    self.outputRate = outputRate
    self.outputChannels = outputChannels
    self.resamplerQuality = resamplerQuality
  }

  /// Begins a stream: makes its converter, warmed, and puts its mark into the ring.
  ///
  /// - Parameters:
  ///   - stream: a format that is decoded in the callback.
  ///   - firstPacket: the packet that will be written first; a decoder may set itself up with it.
  ///   - joinsPrevious: the stream plays on where the one before ends, without a gap, if rate and
  ///     channel count are the same. Otherwise the one before must have been ended.
  /// - Returns: the stream's number, from 1; nil when the ring has no room now.
  /// - Throws: ``AudioConverterError`` when the format cannot be converted.
  public mutating func beginStream(
    _ stream: CodedStreamDescription, firstPacket: UnsafeRawBufferPointer, joinsPrevious: Bool
  ) throws(AudioConverterError) -> UInt32? {
    reclaimConverters()
    guard convertersInUse < SourceUnit.maximumConverters else { return nil }
    let configuration = StreamConverter.Configuration(
      streamID: lastStreamID + 1, stream: stream, outputRate: outputRate,
      outputChannels: outputChannels, quality: resamplerQuality)
    let converter = unsafe try StreamConverter.make(configuration, firstPacket: firstPacket)
    let isWritten = unsafe producer.write(
      mark: .streamStart, generation: generation, joinsPrevious: joinsPrevious,
      converter: converter)
    guard isWritten else {
      unsafe StreamConverter.destroy(converter)
      return nil
    }
    convertersInUse += 1
    lastStreamID += 1
    return lastStreamID
  }

  /// Puts a packet of the current stream into the ring.
  ///
  /// - Returns: false when it does not fit now.
  public mutating func write(
    packet: UnsafeRawBufferPointer, history: PacketHistory
  ) -> Bool {
    unsafe producer.write(packet: packet, history: history)
  }

  /// Says that no packet of the current stream follows and that no stream joins it: its tail is
  /// drained, and an empty ring is no underrun after that.
  ///
  /// - Returns: false when the ring has no room now.
  public mutating func endStream() -> Bool {
    unsafe producer.write(mark: .endOfStream, generation: generation)
  }

  /// How long the packets in the ring sound. Can only have shrunk since it was read.
  public var bufferedNanoseconds: UInt64 { producer.bufferedNanoseconds }

  /// Entries in the ring: packets, and marks of streams. Can only have shrunk since it was read.
  public var entryCount: Int { producer.entryCount }

  /// Bytes of the largest packet that the ring takes.
  public var maximumPacketBytes: Int { producer.maximumPacketBytes }

  /// The next event that the render thread has told, or nil. For the feeder's thread.
  public mutating func nextEvent() -> SourceEvent? {
    guard let pair = unsafe storage.unit.pointee.events.pop(),
      let kind = SourceEvent.Kind.allCases.first(where: { $0.code == pair.first >> 32 })
    else { return nil }
    return SourceEvent(
      kind: kind, streamID: UInt32(truncatingIfNeeded: pair.first), outputFrame: pair.second)
  }

  /// Frees the converters of streams that the render thread is done with.
  public mutating func reclaimConverters() {
    while let pair = unsafe storage.unit.pointee.retired.pop() {
      convertersInUse -= 1
      if let converter = unsafe UnsafeMutablePointer<StreamConverter>(
        bitPattern: UInt(pair.first))
      {
        unsafe StreamConverter.destroy(converter)
      }
    }
  }
}
