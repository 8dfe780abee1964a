// SPDX-License-Identifier: MIT

public import AudioModel

/// The result of decoding one packet.
public struct AheadDecoderOutput: Hashable, Sendable {
  /// Frames of sound, at the output's rate: the packet's stated duration, except for a packet of Apple Lossless
  /// or FLAC that holds fewer, and for one whose duration is unknown.
  public let frames: Int
  /// False for a damaged packet: all or part of its duration is silence, or the decoder's substitute; one of
  /// unknown duration may yield nothing.
  public let isDecoded: Bool
  /// Whether the output format, or the speakers of its channels, changed with this packet.
  public let changesFormat: Bool
}

/// Decodes one stream's packets ahead of the render callback, through libavcodec.
///
/// A packet yields its stated duration of sound, whatever its contents, so that damage does not shift the time
/// line; without a stated duration it yields the decoder's output. Nothing is trimmed: priming and remainder
/// are the caller's.
///
/// Not thread-safe: one thread at a time. It allocates, locks and takes its time: never on the render thread.
/// The first decoder sets libavcodec's log level to quiet, for the whole process.
@safe
public final class AheadDecoder {
  /// The most frames of one packet. A longer one is cut to them, and to 2^24 samples.
  static let maximumFrames = 1 << 20
  /// More frames than a packet of any of these formats has.
  private static let framesOfAnyPacket = 1 << 16
  private static let maximumSamples = 1 << 24

  /// Float 32, interleaved, packed, native endian: the rate and channels to which packets decode. The stream's
  /// stated ones until a packet has shown others: implicit SBR doubles the rate, parametric stereo turns mono
  /// into stereo.
  public private(set) var outputFormat: AudioStreamBasicDescription
  /// The speakers of the output's channels, in their order, which is WAVE's except for rare layouts; nil if
  /// unknown.
  public private(set) var outputLayout: AudioChannelLayout?

  private let library: LibavcodecDecoder
  /// The speakers of the last packet that stated them, by the decoder's names.
  private var toldLayout: AudioChannelLayout?
  private let statedRate: Double
  private let statedLayout: AudioChannelLayout?
  /// Whether packets may be ADTS frames, which are taken apart here: the cookie has the data of their headers.
  private let mayBeADTS: Bool
  private let mayEndShort: Bool
  private let isOpus: Bool
  /// The stated duration that the last packet confirmed.
  private var usualFrames = 0
  private var buffer = SampleBuffer()
  /// The duration of the packets so far beyond whole frames, if rates are not multiples.
  private var fraction = 0.0

  /// Creates a decoder at the start of a stream.
  ///
  /// - Throws: the reason why the stream cannot be decoded.
  public init(_ stream: CodedStreamDescription) throws(AheadDecoderError) {
    let format = stream.format
    let name = format.formatID.name
    guard !AheadCodec.decoderNames(for: format.formatID).isEmpty else {
      throw AheadDecoderError.formatNotSupported(name)
    }
    guard stream.freeFormatFrameByteCount == nil else {
      throw AheadDecoderError.formatNotSupported("free-format \(name)")
    }
    guard let rate = Int(exactly: format.sampleRate.rounded()),
      LibavcodecDecoder.rateRange.contains(rate),
      LibavcodecDecoder.channelRange.contains(Int(format.channelsPerFrame))
    else {
      throw AheadDecoderError.decoderRefused(
        format: name, "the stream has no rate or channels that make sense")
    }
    guard let extradata = DecoderExtradata(stream.magicCookie, format: format.formatID) else {
      throw AheadDecoderError.cookieRefused(format: name, "it is not one of this format")
    }
    library = try LibavcodecDecoder(stream, extradata)
    statedRate = format.sampleRate
    statedLayout = stream.layout
    isOpus = format.formatID == .opus
    mayEndShort = format.formatID == .appleLossless || format.formatID == .flac
    mayBeADTS =
      ["aac ", "aach", "aacp"].contains(format.formatID.rawValue)
      && !extradata.bytes.isEmpty
    outputFormat = .decoded(sampleRate: format.sampleRate, channels: format.channelsPerFrame)
    let expected = library.expectedLayout ?? stream.layout?.sorted
    if let expected, expected.labels.count == Int(format.channelsPerFrame) {
      outputLayout = expected.named(as: stream.layout)
    }
  }

  /// The last packet's frames, interleaved; none before the first packet and after a reset. Valid
  /// until the next call of `decode` or `reset`.
  public var samples: Span<Float> {
    @_lifetime(borrow self)
    get {
      let samples = unsafe buffer.samples.span
      return unsafe _overrideLifetime(samples, borrowing: self)
    }
  }

  /// Decodes one packet. Its sound is in ``samples`` afterwards.
  ///
  /// - Parameters:
  ///   - packet: a whole packet from the parser; an empty one stands for a lost one.
  ///   - frameCount: its duration at the stream's stated rate; nil if unknown.
  public func decode(_ packet: Span<UInt8>, frameCount: Int?) -> AheadDecoderOutput {
    let (formatBefore, layoutBefore) = (outputFormat, outputLayout)
    var state = PacketState(frameCount: frameCount.map { max(0, min($0, Self.maximumFrames)) })
    if mayBeADTS, let frame = ADTSFrame(packet) {
      if frame.parts.isEmpty { state.isDecoded = false }
      for part in frame.parts { decode(packet.extracting(part), &state) }
    } else {
      decode(packet, &state)
    }
    if !state.hasFormat { makeRoom(state.frameCount) }
    if buffer.frameCount == 0, (state.frameCount ?? 0) > 0 { state.isDecoded = false }
    if isOpus, let frameCount = state.frameCount, state.isDecoded {
      // As in the callback's decoder: durations are multiples of 2.5 ms.
      let isShort = buffer.frameCount + 120 <= frameCount
      if !isShort { usualFrames = frameCount }
      if isShort, frameCount == usualFrames { state.isDecoded = false }
    }
    // The last packet of Apple Lossless or FLAC may hold fewer frames than the stream's other packets, and
    // states so itself.
    let isShort = mayEndShort && state.isDecoded && buffer.frameCount > 0
    if state.frameCount != nil, !isShort { buffer.fill() }
    return AheadDecoderOutput(
      frames: buffer.frameCount, isDecoded: state.isDecoded,
      changesFormat: outputFormat != formatBefore
        || (layoutBefore != nil && outputLayout != layoutBefore))
  }

  /// Forgets the packets before, after a discontinuity. The output format stays as it is now. The packets after
  /// it are right again once the data on which their encoding depends has been decoded anew.
  public func reset() {
    library.reset()
    fraction = 0
    buffer.clear(channels: Int(outputFormat.channelsPerFrame), room: 0)
  }

  private struct PacketState {
    let frameCount: Int?
    var isDecoded = true
    /// Whether a frame was received, and the buffer prepared for it.
    var hasFormat = false
  }

  /// Decodes a packet, or a part of one.
  private func decode(_ bytes: Span<UInt8>, _ state: inout PacketState) {
    guard library.send(bytes) else {
      state.isDecoded = false
      return
    }
    // Each call but the last uses up some of the packet.
    for _ in 0..<bytes.count + 64 {
      switch library.receive() {
      case .frame: take(&state)
      case .nothing: return
      case .failure: state.isDecoded = false
      }
    }
    // The decoder would refuse the next packet until all of this one is received.
    library.reset()
    state.isDecoded = false
  }

  private func take(_ state: inout PacketState) {
    guard let received = library.received else {
      state.isDecoded = false
      return
    }
    let format = AudioStreamBasicDescription.decoded(
      sampleRate: received.sampleRate == Int(statedRate.rounded())
        ? statedRate : Double(received.sampleRate),
      channels: UInt32(received.channels))
    if !state.hasFormat {
      if format != outputFormat || (received.layout != nil && received.layout != toldLayout) {
        outputLayout = received.layout?.named(as: statedLayout)
        toldLayout = received.layout
      }
      outputFormat = format
      makeRoom(state.frameCount)
      state.hasFormat = true
    }
    // A packet has one format: frames of another are damage.
    guard format == outputFormat, library.append(to: &buffer) else {
      state.isDecoded = false
      return
    }
    if !library.isReceivedWhole { state.isDecoded = false }
  }

  /// Empties the buffer and makes room for a duration in frames of the stream's rate, or for any.
  private func makeRoom(_ frameCount: Int?) {
    let channels = Int(outputFormat.channelsPerFrame)
    var frames = frameCount ?? Self.framesOfAnyPacket
    if let frameCount, outputFormat.sampleRate != statedRate {
      let exact = Double(frameCount) * outputFormat.sampleRate / statedRate + fraction
      // A number that is whole except for rounding counts as whole.
      frames = Int((exact + 0x1p-20).rounded(.down))
      fraction = exact - Double(frames)
    }
    buffer.clear(channels: channels, room: min(frames, Self.maximumSamples / channels))
  }
}
