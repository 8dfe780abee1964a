// SPDX-License-Identifier: MIT

public import AudioModel
internal import Synchronization

/// The feeding end of a source: streams and their packets go in, events come out.
///
/// One thread at a time. Nothing here waits: a full ring is an answer. Making a stream's converter
/// takes milliseconds and allocates, which is why it is done on this side.
public struct SourceFeed: ~Copyable, Sendable {
  var producer: PacketRingProducer
  let storage: SourceStorage
  private let outputChannels: Int
  private let resamplerQuality: ResamplerQuality
  private var inFlight: [ConverterInFlight] = []
  private(set) var lastStreamID: UInt32 = 0
  /// A stream that was begun and of which nothing that is heard has been written.
  var preparation: StreamPreparation?
  /// The last packets, of which nothing is heard, and whose stream may go on behind them.
  var padding: [PaddingPacket] = []
  /// Packets that could not be decoded in preparations, to be told.
  var failedPreparations: [SourceEvent] = []
  /// Given to every packet and mark from now on. Raise it before feeding what comes after a seek,
  /// and tell the ``SourceControl`` when that shall be heard.
  public var generation: UInt32 = 0 {
    didSet {
      guard generation != oldValue else { return }
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

  /// Begins a stream: makes its converter, warmed. Its mark goes into the ring before the first of its
  /// packets that is heard.
  ///
  /// - Parameters:
  ///   - stream: a format that is decoded in the callback.
  ///   - origin: what the stream's first frame is, for ``SourceControl/position``.
  ///   - firstPacket: the packet that will be written first; a decoder may set itself up with it.
  ///   - joinsPrevious: the stream plays on where the one before ends, without a gap, if rate and
  ///     channel count are the same. Otherwise the one before must have been ended.
  ///   - startFrame: where on the source's clock its first frame belongs, for a source with a
  ///     ``SourceControl/clockRate``: until then there is silence, unless that has passed already. Nil
  ///     is as soon as possible.
  ///   - transportNanoseconds: for a source that follows a transport, the time on its time line that the
  ///     first frame belongs to; needed for the first stream of a generation. Nil is behind what was before.
  /// - Returns: the stream's number, from 1; nil when the ring has no room now.
  /// - Throws: ``AudioConverterError`` when the format cannot be converted.
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

  /// Puts a packet of the current stream into the ring. At its start the packets of which nothing is heard,
  /// an encoder's delay or what a decoder has to hear after a seek, are decoded here and now instead: the
  /// render thread does not have the time for many packets in one cycle. At its end they are not decoded
  /// at all; only the last eight of those that sound follows are.
  ///
  /// - Parameters:
  ///   - packet: its bytes; they are copied.
  ///   - history: its place in the stream, its frames and its trims. Numbers below 0 count as 0, and those above the
  ///     packet's frames are ignored.
  ///   - settings: what takes effect with the packet's first sound. They need a mark in the history.
  ///   - sparedNanoseconds: so much sound shall still fit behind it: room for what a seek leads to while
  ///     the old sound goes on. At most a quarter of the ring is spared.
  ///   - ampleNanoseconds: with so much sound in the ring its memory is used again from the beginning,
  ///     instead of to its end, from a quarter on.
  /// - Returns: false when it does not fit now.
  public mutating func write(
    packet: UnsafeRawBufferPointer, history: PacketHistory,
    settings: SourceSettings = SourceSettings(), sparedNanoseconds: UInt64 = 0,
    ampleNanoseconds: UInt64 = .max
  ) -> Bool {
    let history = history.possible
    if unsafe prepare(packet, history) { return true }
    guard endPreparation() else { return false }
    if unsafe holdPadding(packet, history) { return true }
    guard writePadding() else { return false }
    return unsafe producer.write(
      packet: packet, history: history, settings: settings, sparedNanoseconds: sparedNanoseconds,
      ampleNanoseconds: ampleNanoseconds)
  }

  /// Says that no packet of the current stream follows and that no stream joins it: its tail is
  /// drained, and an empty ring is no underrun after that.
  ///
  /// - Returns: false when the ring has no room now.
  public mutating func endStream() -> Bool {
    guard endPreparation(),
      unsafe producer.write(mark: .endOfStream, generation: generation)
    else { return false }
    padding.removeAll()
    return true
  }

  /// How long the packets in the ring sound. Can only have shrunk since it was read.
  public var bufferedNanoseconds: UInt64 { producer.bufferedNanoseconds }

  /// Entries in the ring: packets, and marks of streams. Can only have shrunk since it was read.
  public var entryCount: Int { producer.entryCount }

  /// Bytes of the largest packet that the ring takes.
  public var maximumPacketBytes: Int { producer.maximumPacketBytes }

  /// The next event that the render thread has told, or nil. For the feeder's thread.
  public mutating func nextEvent() -> SourceEvent? {
    if !failedPreparations.isEmpty { return failedPreparations.removeFirst() }
    return unsafe storage.unit.pointee.events.pop().flatMap { SourceEvent($0) }
  }

  /// Frees the converters of streams that the render thread is done with.
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

  /// A converter is about to be freed.
  mutating func forget(_ converter: UnsafeMutablePointer<StreamConverter>) {
    inFlight.removeAll { unsafe $0.address == converter }
  }

  /// Makes new resamplers for the streams that were begun when the output had another rate. Until that
  /// is done they are silent. To be called now and then; without a change of rate it does nothing.
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

/// A converter that the ring or the render thread has, and the rate that it was last made for.
@safe
private struct ConverterInFlight: @unchecked Sendable {
  let address: UnsafeMutablePointer<StreamConverter>
  var outputRate: Int
}
