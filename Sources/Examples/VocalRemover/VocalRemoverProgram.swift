// SPDX-License-Identifier: MIT

import Drawbar
import Glibc
import JACKRemoteIO
import PlayerProgram

/// The state of the sine's callback: a hand that rotates once in a period.
struct Sine {
  var hand = (x: 1.0, y: 0.0)
  /// The rotation with each frame: the cosine and the sine of its angle.
  let turn: (cosine: Double, sine: Double)

  init(frequency: Double, sampleRate: Double) {
    let angle = 2 * Double.pi * frequency / sampleRate
    turn = (cos(angle), sin(angle))
  }
}

/// `vocal-remover [--sine]`.
@main
enum VocalRemoverProgram {
  static func main() {
    PlayerProgram.run(
      "vocal-remover", synopsis: "[--sine]",
      about: """
        Plays left minus right of its two inputs, so that what is equal in both is gone: connect a
        player to vocal-remover:in_1 and in_2. With --sine it has no inputs, and plays a sine of 440 Hz.
        """,
      accepts: { $0.isEmpty || $0 == ["--sine"] }
    ) { arguments, signals in
      try run(playsSine: !arguments.isEmpty, until: signals)
    }
  }

  private static func run(playsSine: Bool, until signals: TerminationSignals) throws {
    let inputs = playsSine ? [] : ["in_1", "in_2"]
    var configuration = RemoteIO.Configuration(clientName: "vocal-remover", inputPortNames: inputs)
    configuration.passesInputsOn = !playsSine
    let unit = try RemoteIO(configuration)
    let renderer = Renderer(
      sampleRate: unit.sampleRate, outputChannels: 2, inputChannels: inputs.count)
    let sine = UnsafeMutablePointer<Sine>.allocate(capacity: 1)
    unsafe sine.initialize(to: Sine(frequency: 440, sampleRate: unit.sampleRate))
    let callback =
      playsSine
      ? unsafe renderer.addCallback(renderSine, context: sine)
      : unsafe renderer.addCallback(removeVocals, context: nil)
    defer {
      unit.close()
      if renderer.remove(callback) { unsafe sine.deallocate() }
    }
    try unit.start(rendering: renderer)
    while !signals.arrive(withinMilliseconds: 100) {
      if let rate = try unit.takeServerChanges() {
        throw PlayerFailure("the JACK server's rate is now \(Int(rate)) Hz; start it again")
      }
    }
  }
}
