// SPDX-License-Identifier: MIT

public import AudioModel
internal import Synchronization

/// The feeding end of a source: it takes streams and their packets, and returns events.
///
/// One thread at a time. Nothing here waits: if the ring is full, a call returns at once. Making a stream's converter
/// takes milliseconds and allocates, so it is done on this side.
public struct SourceFeed: ~Copyable, Sendable {
  var producer: PacketRingProducer
  let storage: SourceStorage
  private let outputChannels: Int
  private let resamplerQuality: ResamplerQuality
  private var inFlight: [ConverterInFlight] = []
  private(set) var lastStreamID: UInt32 = 0
  /// A stream that has begun, before its first audible packet is written.
  var preparation: StreamPreparation?
  /// The last packets of the stream, all fully trimmed; sound may still follow them.
  var padding: [PaddingPacket] = []
  /// Packets that could not be decoded in preparations, still to be reported.
  var failedPreparations: [SourceEvent] = []
  /// The flush serial of every packet and mark from now on: a count of flushes. Raise it before feeding the packets
  /// after a seek, and set ``SourceControl/flushSerial`` to it when they are to be output.
  public var flushSerial: UInt32 = 0 {
    didSet {
      guard flushSerial != oldValue else { return }
      abandonPreparation()
      padding.removeAll()
    }
  }

  init(
    producer: consuming PacketRingProducer, storage: SourceStorage, outputChannels: Int,
    resamplerQuality: ResamplerQuality
  ) {
    self.producer = producer
    self.storage = storage
    self.outputChannels = outputChannels
    self.resamplerQuality = resamplerQuality
  }

  /// Begins a stream: makes its converter and warms it up. Its mark goes into the ring before its first audible packet.
  ///
  /// - Parameters:
  ///   - stream: a format that is decoded in the callback.
  ///   - origin: the position of the stream's first frame in its track, for ``SourceControl/position``.
  ///   - firstPacket: the packet that will be written first; a decoder may use it to set itself up.
  ///   - joinsPrevious: whether the stream follows the one before without a gap, if rate and channel count are the
  ///     same. Otherwise the one before must have been ended.
  ///   - startFrame: the first frame's position on the source's clock, for a source with a ``SourceControl/clockRate``.
  ///     Until then there is silence, unless that has passed already. Nil is as soon as possible.
  ///   - transportNanoseconds: for a source that follows a transport, the first frame's position on its time line;
  ///     needed for the first stream of a flush serial. Nil is directly behind the stream before.
  /// - Returns: the stream's number, from 1; nil if the ring has no room now.
  /// - Throws: ``AudioConverterError`` if the format cannot be converted.
  public mutating func beginStream(
    _ stream: CodedStreamDescription, origin: StreamOrigin = StreamOrigin(track: 0),
    firstPacket: UnsafeRawBufferPointer, joinsPrevious: Bool, startFrame: Double? = nil,
    transportNanoseconds: UInt64? = nil
  ) throws(AudioConverterError) -> UInt32? {
    reclaimConverters()
    guard inFlight.count < SourceUnit.maximumConverters, endPreparation() else { return nil }
    let outputRate = outputRate
    let configuration = StreamConverter.Configuration(
      streamID: lastStreamID + 1, origin: origin, startFrame: startFrame,
      transportNanoseconds: transportNanoseconds, stream: stream, outputRate: outputRate,
      outputChannels: outputChannels, quality: resamplerQuality)
    let converter = unsafe try StreamConverter.make(configuration, firstPacket: firstPacket)
    preparation = unsafe StreamPreparation(converter: converter, joinsPrevious: joinsPrevious)
    padding.removeAll()
    unsafe inFlight.append(ConverterInFlight(address: converter, outputRate: outputRate))
    lastStreamID += 1
    return lastStreamID
  }

  /// Writes a packet of the current stream to the ring. Fully trimmed packets at the stream's start, an encoder's delay
  /// or a decoder's pre-roll after a seek, are instead decoded here at once: the render thread does not have the time
  /// for many packets in one cycle. Fully trimmed packets at its end are not decoded; if sound follows, the last eight
  /// are.
  ///
  /// - Parameters:
  ///   - packet: its bytes; they are copied.
  ///   - metadata: the packet's metadata: its number, its byte offset, its frames and its trims. Numbers below 0 count
  ///     as 0, and those above the packet's frames are ignored.
  ///   - settings: the settings that take effect with the packet's first sound. They need a mark in the metadata.
  ///   - sparedNanoseconds: the amount of sound that must still fit behind it: room for the sound after a seek while
  ///     the old sound plays. At most a quarter of the ring is spared.
  ///   - ampleNanoseconds: if the ring has this much sound and a quarter of its memory is used, the packet goes to the
  ///     memory's beginning as soon as it fits there.
  /// - Returns: false if it does not fit now.
  public mutating func write(
    packet: UnsafeRawBufferPointer, metadata: PacketMetadata,
    settings: SourceSettings = SourceSettings(), sparedNanoseconds: UInt64 = 0,
    ampleNanoseconds: UInt64 = .max
  ) -> Bool {
    let metadata = metadata.possible
    if unsafe prepare(packet, metadata) { return true }
    guard endPreparation() else { return false }
    if unsafe holdPadding(packet, metadata) { return true }
    guard writePadding() else { return false }
    return unsafe producer.write(
      packet: packet, metadata: metadata, settings: settings, sparedNanoseconds: sparedNanoseconds,
      ampleNanoseconds: ampleNanoseconds)
  }

  /// Ends the current stream: no packet of it follows, and no stream joins it. Its tail is drained, and an empty ring
  /// is no underrun after that.
  ///
  /// - Returns: false if the ring has no room now.
  public mutating func endStream() -> Bool {
    guard endPreparation(),
      unsafe producer.write(mark: .endOfStream, flushSerial: flushSerial)
    else { return false }
    padding.removeAll()
    return true
  }

  /// The duration of the packets in the ring. Can only have shrunk since it was read.
  public var bufferedNanoseconds: UInt64 { producer.bufferedNanoseconds }

  /// Entries in the ring: packets, and marks of streams. Can only have shrunk since it was read.
  public var entryCount: Int { producer.entryCount }

  /// Bytes of the largest packet that fits in the ring.
  public var maximumPacketBytes: Int { producer.maximumPacketBytes }

  /// Returns the next event that the render thread has reported, or nil. For the feeder's thread.
  public mutating func nextEvent() -> SourceEvent? {
    if !failedPreparations.isEmpty { return failedPreparations.removeFirst() }
    return unsafe storage.unit.pointee.events.pop().flatMap { SourceEvent($0) }
  }

  /// Frees the converters of streams that the render thread has retired.
  public mutating func reclaimConverters() {
    while let record = unsafe storage.unit.pointee.retired.pop() {
      guard
        let converter = unsafe UnsafeMutablePointer<StreamConverter>(
          bitPattern: UInt(record.first))
      else { continue }
      unsafe forget(converter)
      unsafe StreamConverter.destroy(converter)
    }
  }

  /// Removes a converter that is about to be freed from the list.
  mutating func forget(_ converter: UnsafeMutablePointer<StreamConverter>) {
    inFlight.removeAll { unsafe $0.address == converter }
  }

  /// Makes new resamplers for the streams that were begun when the output had another rate. Until then those streams
  /// are silent. Call it regularly; without a change of rate it does nothing.
  ///
  /// - Throws: `sampleRateNotSupported` for the first stream that cannot have one; it stays silent.
  public mutating func followOutputRate() throws(AudioConverterError) {
    let outputRate = outputRate
    for index in inFlight.indices where inFlight[index].outputRate != outputRate {
      inFlight[index].outputRate = outputRate
      try unsafe StreamConverter.offer(
        outputRate: outputRate, quality: resamplerQuality, to: inFlight[index].address)
    }
  }

  /// Frames per second of the output now.
  package var outputRate: Int {
    unsafe storage.shared.pointee.outputRate.load(ordering: .acquiring)
  }
}

/// A converter in the ring or on the render thread, and the rate that it was last made for.
@safe
private struct ConverterInFlight: @unchecked Sendable {
  let address: UnsafeMutablePointer<StreamConverter>
  var outputRate: Int
}
