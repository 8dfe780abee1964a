// SPDX-License-Identifier: MIT

import AudioModel
import Equalizers
import Glibc
import RenderCore

/// The nodes of an equaliser: for each stage a filter bank, and convolvers, a delay and a mixer if it needs them.
struct EqualizerNodes {
  private struct Stage {
    let channelCount: Int
    let bank: FilterBankControl
    /// One for all graphic curves, and one for each convolution.
    let convolvers: [ConvolverControl]
    let delay: DelayControl?
    let mixer: GraphNode?
  }

  private let stages: [Stage]
  /// The gains of each stage's mixer.
  private let gains: [[[Float]]?]

  /// Adds the nodes without connecting them.
  ///
  /// - Throws: `EqualizerFileError` for sections that the bank refuses, and for impulse responses that the
  ///   convolver refuses, or where FFTW is missing.
  init(
    of equalizer: Equalizer, _ known: [EqualizerStage], preampDecibels: Double,
    in renderer: Renderer
  ) throws(EqualizerFileError) {
    let (graph, rate) = (renderer.graph, renderer.sampleRate)
    gains = known.map(\.gains)
    stages = try known.map { (stage) throws(EqualizerFileError) in
      let channels = stage.sections.count
      let longest = Double(stage.delayFrames.max() ?? 0) / rate
      // Room for a longer delay, at the highest rate of a server.
      let seconds = min(max(2 * longest, 0.05), EqualizerStage.maximumDelaySeconds)
      return Stage(
        channelCount: channels, bank: graph.addFilterBank(channelCount: channels),
        convolvers: try Self.convolvers(
          stage.responseFrames(of: equalizer.file, sampleRate: rate), of: equalizer,
          channelCount: channels, in: graph),
        delay: longest > 0
          ? graph.addDelay(channelCount: channels, maximumFrames: Int(seconds * 768_000)) : nil,
        mixer: stage.gains.map { _ in graph.addMixer(channelCount: channels) })
    }
    try set(equalizer, known, preampDecibels: preampDecibels, sampleRate: rate)
  }

  /// The frames by which the convolvers delay the sound.
  var latencyFrames: Int {
    stages.map(\.convolvers.count).reduce(0, +) * ConvolverControl.latencyFrames
  }

  /// Returns true if the nodes and their gains can realise other stages.
  func suit(_ others: [EqualizerStage], of file: EqualizerFile, sampleRate: Double) -> Bool {
    others.map(\.gains) == gains
      && zip(stages, others).allSatisfy { stage, other in
        let longest = Double(other.delayFrames.max() ?? 0) * 768_000 / sampleRate
        let frames = other.responseFrames(of: file, sampleRate: sampleRate)
        return stage.channelCount == other.sections.count
          && stage.convolvers.count == frames.count
          && zip(stage.convolvers, frames).allSatisfy { $0.maximumFrames >= $1 }
          && longest <= Double(stage.delay?.maximumFrames ?? 0)
      }
  }

  /// Fades to the filters and delays of an equaliser that the nodes suit.
  ///
  /// - Parameters:
  ///   - known: the stages at the present sample rate.
  ///   - preampDecibels: the preamp at that rate. It applies alone at a rate where the filters are impossible: without
  ///     it the sound could become louder.
  func set(
    _ equalizer: Equalizer, _ known: [EqualizerStage], preampDecibels: Double, sampleRate: Double
  ) throws(EqualizerFileError) {
    let preamp = BiquadCoefficients(b0: pow(10, preampDecibels / 20), b1: 0, b2: 0, a1: 0, a2: 0)
    let responses = try known.map { (stage) throws(EqualizerFileError) in
      try stage.responses(of: equalizer.file, sampleRate: sampleRate)
    }
    for (index, stage) in stages.enumerated() {
      do throws(FilterBankError) {
        try stage.bank.set { rate in
          if rate == sampleRate { return known[index].sections }
          let others = try? equalizer.stages(sampleRate: rate).stages
          return others?[index].sections ?? (index == 0 ? [[preamp]] : [[]])
        }
      } catch {
        throw EqualizerFileError(path: equalizer.file.name, reason: .bank(error))
      }
      for (place, convolver) in stage.convolvers.enumerated() {
        let response = responses[index][place]
        do throws(ConvolverError) {
          try convolver.set { rate in
            if rate == sampleRate { return response }
            let others = try? equalizer.stagesWithoutPreamp(sampleRate: rate)
            let response = try? others?[index].responses(of: equalizer.file, sampleRate: rate)
            return response?[place]
          }
        } catch {
          throw EqualizerFileError(path: equalizer.file.name, reason: .convolver(error))
        }
      }
      stage.delay?.set { channel, rate in
        if rate == sampleRate { return known[index].delayFrames[channel] }
        let others = try? equalizer.stagesWithoutPreamp(sampleRate: rate)
        return others?[index].delayFrames[channel] ?? 0
      }
    }
  }

  /// Connects the nodes between two others, whose channels are the equaliser's first ones.
  func connect(
    from source: GraphNode, to target: GraphNode, in edit: inout GraphEdit
  ) throws(ProcessingGraphError) {
    var last = source
    for (stage, gains) in zip(stages, gains) {
      try edit.connect(last, to: stage.bank.node)
      last = stage.bank.node
      for node in stage.convolvers.map(\.node) + [stage.delay?.node].compactMap(\.self) {
        try edit.connect(last, to: node)
        last = node
      }
      guard let mixer = stage.mixer, let gains else { continue }
      for (target, row) in gains.enumerated() {
        for (source, gain) in row.enumerated() where gain != 0 {
          try edit.connect(
            last, channel: source, to: mixer, targetChannel: target, channelCount: 1, gain: gain)
        }
      }
      last = mixer
    }
    try edit.connect(last, to: target)
  }

  /// Removes the nodes; their sound fades out.
  func remove(in edit: inout GraphEdit) throws(ProcessingGraphError) {
    for stage in stages {
      let others = [stage.bank.node, stage.delay?.node, stage.mixer].compactMap(\.self)
      for node in others + stage.convolvers.map(\.node) {
        try edit.remove(node)
      }
    }
  }

  private static func convolvers(
    _ frames: [Int], of equalizer: Equalizer, channelCount: Int, in graph: ProcessingGraph
  ) throws(EqualizerFileError) -> [ConvolverControl] {
    do throws(ConvolverError) {
      return try frames.map { (frames) throws(ConvolverError) in
        // Room for a longer response, and for a higher rate of the server.
        let room = max(
          ImpulseResponse.maximumDesignFrames,
          min(2 * frames, ConvolverControl.maximumResponseFrames))
        return try graph.addConvolver(channelCount: channelCount, maximumFrames: room)
      }
    } catch {
      throw EqualizerFileError(path: equalizer.file.name, reason: .convolver(error))
    }
  }
}

extension EqualizerStage {
  /// True if a graphic curve changes the sound.
  private var hasCurves: Bool {
    curves.joined().contains { curve in curve.points.contains { $0.gainDecibels != 0 } }
  }

  /// Returns the maximum number of frames of each impulse response.
  fileprivate func responseFrames(of file: EqualizerFile, sampleRate: Double) -> [Int] {
    let lengths = convolutions.map { convolution in
      guard let response = try? file.response(of: convolution) else { return 1 }
      return Int((Double(response.frameCount) * sampleRate / response.sampleRate).rounded(.up))
    }
    return (hasCurves ? [ImpulseResponse.maximumDesignFrames] : []) + lengths
  }

  /// Returns the graphic curves as one impulse response, and one for each convolution.
  fileprivate func responses(
    of file: EqualizerFile, sampleRate: Double
  ) throws(EqualizerFileError) -> [ImpulseResponse] {
    let read = try convolutions.map { (convolution) throws(EqualizerFileError) in
      try file.response(of: convolution)
    }
    do throws(ConvolverError) {
      var responses = hasCurves ? [try designedResponse(sampleRate: sampleRate)] : []
      for (convolution, response) in zip(convolutions, read) {
        // Resampled before it is spread, so that channels without a response stay unchanged.
        let response = try response.resampled(to: sampleRate)
        responses.append(try spread(response, over: convolution.channels))
      }
      return responses
    } catch {
      throw EqualizerFileError(path: file.name, reason: .convolver(error))
    }
  }

  private func designedResponse(sampleRate: Double) throws(ConvolverError) -> ImpulseResponse {
    // Most files have one curve for all channels.
    let different = Set(curves).count == 1 ? Array(curves.prefix(1)) : curves
    return try ImpulseResponse(
      minimumPhase: different.map { curves in
        { hertz in curves.reduce(0) { $0 + $1.gainDecibels(atHertz: hertz) } }
      }, sampleRate: sampleRate)
  }

  /// Returns an impulse response with one channel for each channel of the stage. Other channels pass the sound.
  private func spread(
    _ response: ImpulseResponse, over channels: [Int]
  ) throws(ConvolverError) -> ImpulseResponse {
    var responses = [[Float]](repeating: [1], count: sections.count)
    for (place, channel) in channels.enumerated() {
      responses[channel] = response.channels[place % response.channels.count]
    }
    return try ImpulseResponse(channels: responses, sampleRate: response.sampleRate)
  }
}
