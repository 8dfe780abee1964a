// SPDX-License-Identifier: MIT

import ArgumentParser
import Drawbar
import Glibc
import OfflineOutput
import PlayerEngine
import RenderCore

/// `drawbar render`: renders into a WAVE or FLAC file through the entry that JACK calls, but without JACK.
struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Render to a WAVE or FLAC file, through the same path as to JACK.",
    discussion: """
      Runs as fast as the source and the machine allow. Without --rate and --channels the file has \
      the first track's rate and channel count, so that no sample is changed; several tracks are \
      joined without a gap. --period sets the frames of each cycle, as JACK's does; it makes no \
      difference to the samples.

      The ending of the file's name decides its format: .wav (32-bit float, every sample as JACK \
      would get it) or .flac (24-bit, rounded, clipped at full scale). Other endings are refused. A \
      file that exists is replaced with --force only; an empty one always is.
      """)

  @Option(
    name: [.short, .long],
    help: "The file to write, .wav or .flac; - for WAVE to standard output.")
  var output: String

  @Flag(help: "Replace the file if it exists.")
  var force = false

  @Option(help: "Frames per second of the output, 1000 to 768000.")
  var rate: Int?

  @Option(help: "Channels of the output, 1 to 64.")
  var channels: Int?

  @Option(
    help: "Frames of each cycle, 1 to \(Renderer.maximumFramesPerCycle); fewer if less is buffered."
  )
  var period = 1024

  @Flag(help: "Print the account of each track's sound, a JSON object a line, on standard output.")
  var json = false

  @OptionGroup
  var effects: EffectOptions

  @OptionGroup
  var limiter: LimiterOptions

  @OptionGroup
  var track: TrackOptions

  @Argument(help: "Paths, http or https URLs, or - for standard input; playlists, too.")
  var locations: [String]

  func validate() throws {
    guard (1...Renderer.maximumFramesPerCycle).contains(period) else {
      throw ValidationError("--period must be 1 to \(Renderer.maximumFramesPerCycle).")
    }
    guard !json || output != "-" else {
      throw ValidationError("--json writes to standard output: choose another output than -.")
    }
    if let rate, !(1000...768_000).contains(rate) {
      throw ValidationError("--rate must be 1000 to 768000.")
    }
    if let channels, !(1...64).contains(channels) {
      throw ValidationError("--channels must be 1 to 64.")
    }
    if let channels { try effects.validate(channels: channels) }
  }

  func run() throws {
    try Failure.reporting {
      try render()
      return true
    }
  }

  private func render() throws {
    var accounts = RenderAccounts()
    let outcome = Result { try render(&accounts) }
    if json { try accounts.write() }
    try outcome.get()
  }

  private func render(_ accounts: inout RenderAccounts) throws {
    try WrittenFile(path: output).check(isNoneOf: locations)
    let file = try RenderedFile(path: output, replacesExisting: force)
    let files = try effects.read()
    try WrittenFile(path: output).check(isNoneOf: files.paths)
    let descriptor = output == "-" ? try StandardOutput.duplicate() : nil
    let (start, thread) = (track.start, track.decode.thread)
    let queue = try TrackQueue(
      locations, configuration: track.source.configuration,
      leftOut: { accounts.add(location: $0, error: $1) }
    ) { reader in
      try reader.seek(toSeconds: start, purpose: .rendering)
      _ = try reader.readDecodedFormat(on: thread)
    }
    try queue.check(writing: output)
    let format = try queue.first.readDecodedFormat(on: thread)
    // The decoder refuses a stated rate outside of these limits, and reports it.
    let outputRate = rate ?? Int(max(1, min(format.sampleRate.rounded(), 1_000_000)))
    let outputChannels = channels ?? Int(format.channelsPerFrame)
    let renderer = Renderer(sampleRate: Double(outputRate), outputChannels: outputChannels)
    var chain = EffectChain(renderer, from: renderer.graph.mix, to: renderer.graph.output)
    let inserted = try effects.append(files, to: &chain)
    try limiter.append(to: &chain, looksAhead: true)
    for warning in inserted?.notes.warnings ?? [] {
      Failure.report("warning: \(warning)")
    }
    var report = TrackReport()
    var played = RenderAccounts()
    defer { accounts.append(played) }
    let player = SteppedPlayer(
      opened: queue.first, items: queue.rest, renderer: renderer,
      configuration: track.configuration, sources: track.source.configuration
    ) { event in
      report.take(event)
      played.take(event, name: report.name(ofTrack:))
    }
    try file.check()
    let tailFrames = renderer.graph.tailFrames
    switch file.format {
    case .wave:
      var writer =
        if let descriptor {
          try WaveFileWriter(
            descriptor: descriptor, name: StandardOutput.name, sampleRate: outputRate,
            channels: outputChannels)
        } else {
          try WaveFileWriter(path: output, sampleRate: outputRate, channels: outputChannels)
        }
      try crank(player, renderer: renderer, tailFrames: tailFrames) {
        try writer.write(interleaved: $0)
      }
      try writer.close()
    case .flac:
      var writer = try FLACFileWriter(
        path: output, sampleRate: outputRate, channels: outputChannels)
      try crank(player, renderer: renderer, tailFrames: tailFrames) {
        try writer.write(interleaved: $0)
      }
      try writer.close()
    }
    if let warning = NonFiniteSamples.warning(renderer.nonFiniteSampleCount) {
      Failure.report("warning: \(warning)")
    }
    if report.hasFailures || queue.hasFailures { throw ExitCode(1) }
  }

  /// Renders one cycle after another, each when the ring holds enough for it.
  private func crank(
    _ player: SteppedPlayer, renderer: Renderer, tailFrames: Int,
    into write: (Span<Float>) throws -> Void
  ) throws {
    var output = OfflineOutput(renderer: renderer)
    let channels = renderer.outputChannels
    var samples: [Float] = []
    var sounded: UInt64 = 0
    var frames = DelayedFrames(
      latencyFrames: renderer.graph.latencyFrames,
      tailFrames: tailFrames)
    func renderCycle(_ frameCount: Int) throws {
      output.render(frameCount: frameCount, interleavedInto: &samples)
      // The last cycle ends in silence that does not belong to the track.
      let sounding = Int(player.control.position.outputFrames - sounded)
      sounded += UInt64(sounding)
      for range in frames.take(frameCount: frameCount, soundingFrames: sounding) {
        try write(
          samples.span.extracting(range.lowerBound * channels..<range.upperBound * channels))
      }
    }
    while player.step(mayWait: true) != .finished {
      guard player.state == .playing, player.isBufferReady else { continue }
      // A cycle longer than the buffered sound would have a gap. A resampler holds back a part of that sound.
      let buffered = Double(player.bufferedNanoseconds) * renderer.sampleRate / 1_000_000_000
      try renderCycle(min(period, max(64, Int(buffered / 2))))
    }
    while frames.framesLeft > 0 { try renderCycle(min(period, frames.framesLeft)) }
  }
}
