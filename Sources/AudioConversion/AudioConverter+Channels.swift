// SPDX-License-Identifier: MIT

public import AudioModel

/// The routing of input channels to output channels, and the speakers of the channels.
extension AudioConverter {
  /// The input channel that each output channel plays, -1 for silence; empty while the default is in effect.
  /// `'chmp'`
  public var channelMap: [Int] { chosenMap ?? [] }

  /// Sets the input channel that each output channel plays; an empty map restores the default.
  ///
  /// - Throws: `'!siz'` unless there is one entry for each output channel, `'prop'` for an input
  ///   channel that is not there, `'op??'` while ``isDownmixEnabled``.
  public func setChannelMap(_ map: [Int]) throws(AudioConversionError) {
    guard !isDownmixing else {
      throw AudioConversionError(
        .operationNotSupported, "a channel map and a downmix exclude each other")
    }
    guard map.isEmpty || map.count == routing.outputs else {
      throw AudioConversionError(
        .badPropertySize,
        "the channel map has \(map.count) entries, the output \(routing.outputs) channels")
    }
    guard map.allSatisfy({ (-1..<routing.inputs).contains($0) }) else {
      throw AudioConversionError(
        .propertyNotSupported, "the channel map names channels that the input does not have")
    }
    chosenMap = map.isEmpty ? nil : map
    routing = makeRouting(inputs: routing.inputs)
  }

  /// Whether channels are mixed. `'dmix'`
  public var isDownmixEnabled: Bool { isDownmixing }

  /// Turns the mixing of the input's channels to the output's, by ``mixMap``, on or off. Without a map that was
  /// set:
  ///
  /// - With an ``outputLayout`` that was set, each speaker goes to the same one, and speakers that the output
  ///   lacks go to the nearest that it has, after ITU-R BS.775.
  /// - Otherwise more channels than the output has are mixed down by the same rules, and as many or fewer pass
  ///   unchanged.
  ///
  /// Neither is ever louder than full scale.
  ///
  /// - Throws: `'op??'` while there is a channel map.
  public func setDownmix(_ isEnabled: Bool) throws(AudioConversionError) {
    guard chosenMap == nil || !isEnabled else {
      throw AudioConversionError(
        .operationNotSupported, "a channel map and a downmix exclude each other")
    }
    guard isEnabled != isDownmixing else { return }
    isDownmixing = isEnabled
    routing = makeRouting(inputs: routing.inputs)
  }

  /// The current gain from each input channel to each output channel: as set, or as the layouts, a channel map
  /// or the default determine it. Core Audio's order: a row for each input channel,
  /// `mixMap[input * outputs + output]`. `'mmap'`
  public var mixMap: [Float] {
    let (inputs, outputs) = (routing.inputs, routing.outputs)
    return (0..<inputs * outputs).map { index in
      Float(routing.gain(from: index / outputs, to: index % outputs))
    }
  }

  /// Sets the gain from each input channel to each output channel; an empty map restores the default mix. The
  /// map outlives a reset and a downmix that is disabled for a while, and ends when a decoder changes the
  /// number of channels.
  ///
  /// Channels are mixed after decoding and after a rate conversion. Sums are not scaled: integers are
  /// clipped.
  ///
  /// - Parameter map: a row for each input channel, `map[input * outputs + output]`. Core Audio's gains are
  ///   from 0 to 1; here any finite ones, and -1 inverts a channel's phase.
  /// - Throws: `'op??'` unless ``isDownmixEnabled``, so never beside a channel map; `'!siz'` unless there is a
  ///   gain for each input and each output channel; `'prop'` for a gain that is not finite. The map set before
  ///   then stays in use.
  public func setMixMap(_ map: [Float]) throws(AudioConversionError) {
    guard isDownmixing else {
      throw AudioConversionError(
        .operationNotSupported, "a mix map needs the downmix, which is not enabled")
    }
    let (inputs, outputs) = (routing.inputs, routing.outputs)
    guard map.isEmpty || map.count == inputs * outputs else {
      throw AudioConversionError(
        .badPropertySize,
        "the mix map has \(map.count) gains where \(inputs) channels to \(outputs) need "
          + "\(inputs * outputs)")
    }
    guard map.allSatisfy(\.isFinite) else {
      throw AudioConversionError(
        .propertyNotSupported, "the mix map has gains that are no finite numbers")
    }
    chosenMixMap = map.isEmpty ? nil : map
    routing = makeRouting(inputs: inputs)
  }

  /// The speaker of each input channel, in the source's order; nil if unknown. A decoder may deliver them in
  /// another order, which the mix takes into account. `'icl '`
  public var inputLayout: AudioChannelLayout? { stream.layout }

  /// Sets the speaker of each channel of linear PCM; nil if unknown.
  ///
  /// - Throws: `'prop'` for a compressed source, whose packets or container state the speakers; `'!siz'` for
  ///   another number of channels than the input has.
  public func setInputLayout(_ layout: AudioChannelLayout?) throws(AudioConversionError) {
    guard decoder == nil else {
      throw AudioConversionError(
        .propertyNotSupported, "\(inputFormat.formatID.name) already defines its channel layout")
    }
    try check(layout, channels: routing.inputs, of: "input")
    stream.layout = layout
    routing = makeRouting(inputs: routing.inputs)
  }

  /// The speaker of each output channel: as set, else as derived from the input's, with 0xFFFFFFFF for a
  /// channel without a speaker; nil if unknown. After a decoder it has the order of the decoder's channels.
  /// `'ocl '`
  public var outputLayout: AudioChannelLayout? {
    if let chosenOutputLayout { return chosenOutputLayout }
    let (inputs, outputs) = (routing.inputs, routing.outputs)
    if let sources = routing.sources {
      guard let layout = decodedLayout, layout.labels.count == inputs else { return nil }
      if routing.isIdentity { return layout }
      return AudioChannelLayout(labels: sources.map { $0 < 0 ? .max : layout.labels[$0] })
    }
    guard chosenMixMap == nil else { return nil }
    switch outputs {
    case 1: return AudioChannelLayout(tag: 100 << 16 | 1)
    case 2: return AudioChannelLayout(tag: 101 << 16 | 2)
    default: return nil
    }
  }

  /// Sets the speaker of each output channel, which the downmix follows; nil restores the default. Without a
  /// downmix it changes no sample: only a channel map reorders channels.
  ///
  /// - Throws: `'!siz'` for another number of channels than the output has.
  public func setOutputLayout(_ layout: AudioChannelLayout?) throws(AudioConversionError) {
    try check(layout, channels: routing.outputs, of: "output")
    chosenOutputLayout = layout
    routing = makeRouting(inputs: routing.inputs)
  }

  /// The output's formats: linear PCM is one, with ``outputLayout``. `'flst'`
  public var formatList: [AudioFormatListItem] {
    [AudioFormatListItem(format: outputFormat, channelLayout: outputLayout)]
  }

  private func check(
    _ layout: AudioChannelLayout?, channels: Int, of side: String
  ) throws(AudioConversionError) {
    guard let layout, layout.labels.count != channels else { return }
    throw AudioConversionError(
      .badPropertySize,
      "the layout has \(layout.labels.count) channels, the \(side) \(channels)")
  }

  /// The speakers of the channels, in the decoder's order.
  var decodedLayout: AudioChannelLayout? {
    guard let decoder else { return stream.layout }
    return decoder.layout
  }

  /// Returns the routing that the maps or the downmix require.
  func makeRouting(inputs: Int) -> ChannelRouting {
    let outputs = outputSamples.channels
    routedLayout = decodedLayout
    if let chosenMap { return ChannelRouting(inputs: inputs, outputs: outputs, map: chosenMap) }
    guard isDownmixing else { return ChannelRouting(inputs: inputs, outputs: outputs) }
    if let chosenMixMap {
      return ChannelRouting(inputs: inputs, outputs: outputs, mixing: chosenMixMap)
    }
    if let chosenOutputLayout,
      let mix = SpeakerMix(from: decodedLayout, channels: inputs, to: chosenOutputLayout)
    {
      return ChannelRouting(inputs: inputs, outputs: outputs, mixing: mix.gains)
    }
    if inputs > outputs {
      return ChannelRouting(downmixing: inputs, to: outputs, layout: decodedLayout)
    }
    return ChannelRouting(inputs: inputs, outputs: outputs)
  }
}
