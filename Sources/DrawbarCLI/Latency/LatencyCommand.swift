// SPDX-License-Identifier: MIT

import ArgumentParser
import Drawbar
import Glibc
import JACKRemoteIO
import RenderCore

/// `drawbar latency`: measures the time from an output port back to an input port.
struct LatencyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "latency",
    abstract: "Measure the latency of a way out and back in.",
    usage: "drawbar latency [<options>] --to <to> --from <from>",
    discussion: """
      Plays 0.7 s of noise (a maximum-length sequence) from its port out_1, records its port in_1, \
      and prints the frames between them: through a cable from the sound card's output to its \
      input, through another client, or through the air. Finds latencies of up to a second.

        drawbar latency --to system:playback_1 --from system:capture_1
        drawbar latency --to effect:in --from effect:out
        drawbar latency --to none --from none --wait 30    for you to connect

      The noise is loud: take off the headphones.
      """)

  @Option(help: "The client's name in the JACK graph.")
  var name = "drawbar"

  @Option(help: "The JACK server's name. (default: $JACK_DEFAULT_SERVER, or default)")
  var server: String?

  @Option(help: "Where to play: a client or port name or pattern, auto, or none.")
  var to: String

  @Option(help: "Where to listen: a client or port name or pattern, auto, or none.")
  var from: String

  @Option(parsing: .unconditional, help: "Level of the noise in dB, -60 to 0.")
  var level = -12.0

  @Option(help: "Seconds to retry if no noise comes back, 0 to 3600.")
  var wait = 10.0

  @Flag(help: "Write the result as a line of JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print libjack's messages on standard error.")
  var verbose = false

  func validate() throws {
    guard (-60...0).contains(level) else { throw ValidationError("--level must be -60 to 0.") }
    guard (0...3600).contains(wait) else { throw ValidationError("--wait must be 0 to 3600.") }
  }

  func run() throws {
    try Failure.reporting {
      guard let result = try measure() else { return true }
      var output = StandardOutput()
      if json {
        result.json.write(to: &output)
        output.write("\n")
      } else {
        output.write(result.text)
      }
      try output.flush()
      return true
    }
  }

  /// - Returns: nil if the user ended it.
  private func measure() throws -> LatencyResult? {
    let signals = TerminationSignals()
    RemoteIO.libraryMessageDescriptor = verbose ? STDERR_FILENO : nil
    let output = try RemoteIO(
      RemoteIO.Configuration(
        clientName: name, serverName: server, outputPortNames: ["out_1"],
        connection: RemoteIO.ConnectionPolicy(parsing: to), inputPortNames: ["in_1"],
        inputConnection: RemoteIO.ConnectionPolicy(parsing: from), reattaches: false),
      isCancelled: { signals.take() })
    defer { output.close(withinMilliseconds: 500) }
    let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 1, inputChannels: 1)
    try output.start(rendering: renderer, isCancelled: { signals.take() })
    let end = ContinuousClock.now + .seconds(wait)
    while true {
      guard let step = try attempt(renderer, output, signals) else { return nil }
      if case .arrived(let arrival) = step {
        return LatencyResult(
          arrival: arrival, level: level, sampleRate: output.sampleRate, period: output.bufferSize,
          declaredFrames: (output.playbackLatency?.upperBound ?? 0)
            + (output.captureLatency?.upperBound ?? 0),
          engineFrames: LatencyProbe.framesThroughMonitor(period: max(1, output.bufferSize)))
      }
      if ContinuousClock.now >= end { throw LatencyFailure(isBroken: isBroken(step)) }
    }
  }

  private func isBroken(_ step: LatencyProbe.Step) -> Bool {
    if case .broken = step { return true }
    return false
  }

  /// Plays the noise once.
  ///
  /// - Returns: nil if the user ended it.
  private func attempt(
    _ renderer: Renderer, _ output: RemoteIO, _ signals: TerminationSignals
  ) throws -> LatencyProbe.Step? {
    // Enough time for the render thread to adopt the source.
    let lead = Int(0.1 * output.sampleRate) + 4 * output.bufferSize
    var probe = try LatencyProbe(
      renderer, level: Decibels.factor(level), leadFrames: lead, period: output.bufferSize)
    while true {
      if signals.take() { return nil }
      for case .serverShutDown(let reason) in output.takeNotices() {
        throw RemoteIOError.serverShutDown(server: output.serverName, reason: reason)
      }
      let step = probe.step()
      if case .waiting = step {
        usleep(20_000)
        continue
      }
      return step
    }
  }
}

/// The reason why nothing was measured.
struct LatencyFailure: Error, CustomStringConvertible {
  /// Whether frames were lost in the last attempt.
  var isBroken: Bool

  var description: String {
    isBroken
      ? "the server missed cycles in each try: use longer periods, or look for what is late"
      : "nothing of the noise came back: connect out_1 to in_1 over the way to be measured, and look at "
        + "the levels"
  }
}
