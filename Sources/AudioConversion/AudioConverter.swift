// SPDX-License-Identifier: MIT

public import AudioModel

/// Converts packets of one format to frames of another: Core Audio's AudioConverter.
///
/// Made from a source description, a destination description and, if the encoding has one, a magic cookie. The
/// source is anything that this build decodes; the destination is linear PCM, of any number of channels and any
/// rate, interleaved or not, float of 32 or 64 bits or integers of up to 32 bits in either byte order. The
/// caller pulls: `fill` asks its callback for packets when it needs them.
///
/// - Integers pass unchanged if only their layout differs. Fewer bits are rounded to the nearest, halves to the
///   even number, without dither, and clipped.
/// - Channels are not mixed: channel n goes to channel n, surplus channels are discarded, missing ones are
///   silent, so that mono sounds on the left of stereo alone. ``setChannelMap(_:)``, ``setDownmix(_:)`` and
///   ``setMixMap(_:)`` change that.
/// - A rate that is no whole number is rounded to one when the rate is changed.
///
/// One thread at a time. Real-time: never on the render thread; it allocates.
public final class AudioConverter {
  /// The source description in effect; fields of 0 are filled in if the others determine them. `'acid'`
  public let inputFormat: AudioStreamBasicDescription
  /// The destination description in effect, completed likewise. `'acod'`
  public let outputFormat: AudioStreamBasicDescription
  /// Packets that could not be decoded, which silence replaced.
  public internal(set) var failedPacketCount: UInt64 = 0
  /// The actual width of the source's samples, for the choice of a destination: below zero for floats; 0 if
  /// unknown. It changes nothing in the conversion. `'acbd'`
  public var bitDepthHint: Int32

  var stream: CodedStreamDescription
  /// The memory layout of input samples; nil for a compressed source.
  let inputSamples: SampleFormat?
  let outputSamples: SampleFormat
  /// nil for linear PCM.
  var decoder: (any InputDecoder)?
  /// The decoder's rate, which may be higher than the description's: implicit SBR doubles it.
  private var inputRate: Double
  /// nil when the rates are the same.
  var ratePlan: RateConverter.Plan?
  var lookAhead = 0
  /// Created when it is first needed, and again after a reset.
  var rateConverter: RateConverter?
  var routing: ChannelRouting
  /// The speakers of the decoded channels for which the routing was made.
  var routedLayout: AudioChannelLayout?

  var chosenQuality = Quality.medium
  var chosenComplexity = Complexity.normal
  var chosenPrimeMethod = PrimeMethod.normal
  var chosenPrimeInfo = PrimeInfo()
  var chosenMap: [Int]?
  /// A row for each input.
  var chosenMixMap: [Float]?
  var chosenOutputLayout: AudioChannelLayout?
  var isDownmixing = false

  var run: InputRun?
  var decoded: DecodedFrames
  /// Memory for mixed frames and for the rate converter's output, which only grows.
  var mixed: [Double] = []
  var widened: [Double] = []
  /// Whether the callback has ended the stream.
  var hasEnded = false
  var leadingFramesLeft = 0
  var isFilling = false

  /// Creates a converter between two formats. Core Audio's `AudioConverterNew`.
  ///
  /// - Parameters:
  ///   - source: the packets' format.
  ///   - destination: the frames' format, linear PCM. A rate of 0 is the source's.
  ///   - magicCookie: the decoder's setup data, as the container has it; it can also be set later with
  ///     ``setMagicCookie(_:)``.
  ///   - inputLayout: the speaker of each input channel.
  /// - Throws: `'fmt?'` where there is no such conversion, `'!isr'` and `'!osr'` for rates that cannot
  ///   be converted.
  public convenience init(
    from source: AudioStreamBasicDescription, to destination: AudioStreamBasicDescription,
    magicCookie: [UInt8] = [], inputLayout: AudioChannelLayout? = nil
  ) throws(AudioConversionError) {
    try self.init(
      decoding: CodedStreamDescription(
        format: source, layout: inputLayout, magicCookie: magicCookie),
      to: destination)
  }

  /// Creates a converter of a stream as a parser describes it.
  ///
  /// - Parameters:
  ///   - source: format, layout, magic cookie and, for free-format MPEG audio, the frames' size.
  ///   - destination: the frames' format, linear PCM. A rate of 0 is the source's.
  /// - Throws: as ``init(from:to:magicCookie:inputLayout:)``.
  public init(
    decoding source: CodedStreamDescription, to destination: AudioStreamBasicDescription
  ) throws(AudioConversionError) {
    guard destination.formatID == .linearPCM else {
      throw AudioConversionError(
        .formatNotSupported,
        "cannot encode \(destination.formatID.name): the destination must be linear PCM")
    }
    outputSamples = try SampleFormat(destination)
    var input = source.format
    var output = outputSamples.completed(destination)
    var inputChannels = Int(input.channelsPerFrame)
    if input.formatID == .linearPCM {
      let samples = try SampleFormat(input)
      input = samples.completed(input)
      inputSamples = samples
    } else {
      let mostChannels = input.formatID.isMPEGAudio ? 2 : 64
      guard (1...mostChannels).contains(inputChannels), input.sampleRate > 0,
        input.framesPerPacket <= 1 << 16
      else {
        throw AudioConversionError(
          .formatNotSupported,
          "\(input.formatID.name) with \(inputChannels) channels at \(input.sampleRate) Hz")
      }
      inputSamples = nil
      input = input.completedMPEGAudio
    }
    stream = source
    stream.format = input
    var inputRate = input.sampleRate
    if inputSamples == nil {
      let made = try InputDecoders.make(stream)
      (inputRate, inputChannels) = (made.sampleRate, made.channels)
      decoder = made
    }
    if output.sampleRate == 0 { output.sampleRate = inputRate }
    if inputRate == 0 {
      inputRate = output.sampleRate
      input.sampleRate = inputRate
    }
    self.inputRate = inputRate
    ratePlan = try RateConverter.Plan(
      from: inputRate, to: output.sampleRate, channels: inputChannels)
    if let ratePlan { lookAhead = try RateConverter.measuredLookAhead(ratePlan) }
    routing = ChannelRouting(inputs: inputChannels, outputs: outputSamples.channels)
    decoded = DecodedFrames(channels: inputChannels)
    inputFormat = input
    outputFormat = output
    bitDepthHint = input.sourceBitDepth
  }

  /// Adopts a decoder's new rate or channels. HE-AAC changes them with its first packet if only the packets
  /// signal HE-AAC. A channel map for missing channels ends, and so does a mix map for another number of
  /// channels.
  func adoptFormat(of decoder: any InputDecoder) throws(AudioConversionError) {
    let (rate, channels) = (decoder.sampleRate, decoder.channels)
    guard rate != inputRate || channels != routing.inputs else {
      if decodedLayout != routedLayout { routing = makeRouting(inputs: channels) }
      return
    }
    inputRate = rate
    ratePlan = try RateConverter.Plan(
      from: rate, to: outputFormat.sampleRate, channels: channels)
    rateConverter = nil
    ratePlan?.quality = chosenQuality.resamplerQuality
    if let ratePlan { lookAhead = try RateConverter.measuredLookAhead(ratePlan) }
    if let map = chosenMap, !map.allSatisfy({ $0 < channels }) { chosenMap = nil }
    if channels != routing.inputs { chosenMixMap = nil }
    routing = makeRouting(inputs: channels)
  }

  /// Forgets the stream so far: pending packets and frames, the decoder's and the rate converter's state, and
  /// the end of the stream. Call it wherever the source is discontinuous. Settings stay. Core Audio's
  /// `AudioConverterReset`.
  ///
  /// The leading frames of ``primeInfo`` are dropped again.
  public func reset() {
    run = nil
    decoded.removeAll()
    decoder?.reset()
    rateConverter = nil
    hasEnded = false
    leadingFramesLeft = decoder == nil ? 0 : Int(chosenPrimeInfo.leadingFrames)
  }
}

extension AudioStreamBasicDescription {
  /// The description with the frames of a packet, which an MPEG audio layer and rate determine.
  fileprivate var completedMPEGAudio: AudioStreamBasicDescription {
    var result = self
    switch formatID {
    case .mpegLayer1: result.framesPerPacket = 384
    case .mpegLayer2: result.framesPerPacket = 1152
    case .mpegLayer3: result.framesPerPacket = sampleRate < 32000 ? 576 : 1152
    default: break
    }
    return result
  }

  /// Bits of the source's samples: linear PCM's own, or those in the flags of a lossless encoding.
  fileprivate var sourceBitDepth: Int32 {
    switch formatID {
    // Floats count below zero, as in Core Audio.
    case .linearPCM:
      Int32(clamping: bitsPerChannel) * (formatFlags.contains(.float) ? -1 : 1)
    case .appleLossless, .flac:
      switch formatFlags.rawValue {
      case 1: 16
      case 2: 20
      case 3: 24
      case 4: 32
      default: 0
      }
    default: 0
    }
  }
}

extension RateConverter.Plan {
  /// - Returns: nil where the rates are the same.
  fileprivate init?(
    from input: Double, to output: Double, channels: Int
  ) throws(AudioConversionError) {
    if input == output, input.isFinite { return nil }
    let range = 1.0...3_000_000
    guard range.contains(input) else {
      throw AudioConversionError(
        .inputSampleRateOutOfRange, "cannot convert from a sample rate of \(input) Hz")
    }
    guard range.contains(output) else {
      throw AudioConversionError(
        .outputSampleRateOutOfRange, "cannot convert to a sample rate of \(output) Hz")
    }
    // The needs of a resampler grow with both.
    guard output / input * Double(channels) <= 1024, input / output * Double(channels) <= 1024
    else {
      throw AudioConversionError(
        .outputSampleRateOutOfRange,
        "\(channels) channels from \(input) Hz to \(output) Hz: the rates are too far apart")
    }
    inputRate = Int(input.rounded())
    outputRate = Int(output.rounded())
    self.channels = channels
    if inputRate == outputRate { return nil }
  }
}
