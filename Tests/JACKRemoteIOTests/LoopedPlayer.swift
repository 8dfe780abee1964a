// SPDX-License-Identifier: MIT

import JACKRemoteIO
import OfflineOutput
import PlayerEngine
import RenderCore
import TestKit

/// A player of a file whose samples are their own numbers. Another program connects its first output port
/// to its input port, so it captures its own sound one cycle later, over any number of servers.
final class LoopedPlayer {
  static let fileRate = 48000
  /// The most frames of an output's start and end: the fades and a resampler's content.
  private static let fadeFrames = 2400

  /// The input of one cycle.
  struct Block {
    var frameTime: UInt32
    var samples: [Float]
  }

  let output: RemoteIO
  let player: Player
  private let directory = TemporaryDirectory()
  private let renderer: Renderer
  private var reader: CaptureReader
  /// The captured cycles since the last ``forget()``.
  private(set) var blocks: [Block] = []
  private(set) var losses = 0
  private(set) var reattachments = 0
  private(set) var missedFrames: UInt64 = 0

  init(seconds: Int, _ configuration: RemoteIO.Configuration) throws {
    let path = directory.file("numbers.wav")
    var writer = try WaveFileWriter(path: path, sampleRate: Self.fileRate, channels: 1)
    let samples = (1...seconds * Self.fileRate).map { Float($0) / Float(1 << 23) }
    try writer.write(interleaved: samples.span)
    try writer.close()
    output = try RemoteIO(configuration)
    renderer = Renderer(
      sampleRate: output.sampleRate, outputChannels: configuration.outputPortNames.count,
      inputChannels: configuration.inputPortNames.count)
    reader = renderer.addCapture(capacityFrames: 1 << 18)
    player = Player(playing: [path], into: renderer)
    try output.start(rendering: renderer)
    player.start()
  }

  deinit {
    player.stop()
    output.close()
  }

  /// Does one step of a program's loop: handles notices and reads captured sound.
  func pump() {
    for notice in output.takeNotices() {
      switch notice {
      case .serverShutDown: losses += 1
      case .reattached: reattachments += 1
      case .sampleRateChanged(let hertz): player.follow(outputRate: hertz)
      case .xruns, .bufferSizeChanged, .freewheeling: break
      }
    }
    while true {
      var block: Block?
      let item = reader.read { frames, channel, samples in
        guard channel == 0 else { return }
        var copy: [Float] = []
        for index in samples.indices { copy.append(samples[index]) }
        block = Block(frameTime: frames.frameTime, samples: copy)
      }
      if let block { blocks.append(block) }
      if case .discontinuity(.missed(let frames)) = item { missedFrames += frames }
      if item == .empty { return }
    }
  }

  /// Pumps until the condition holds.
  func pumps(seconds: Double, until condition: () -> Bool) -> Bool {
    eventually(seconds: seconds) {
      pump()
      return condition()
    }
  }

  func forget() {
    pump()
    blocks = []
  }

  /// The file's frame at the input at a time of the frame clock; nil if unknown.
  func number(at frameTime: UInt32) -> Double? {
    for block in blocks.reversed() {
      let offset = Int(Int32(bitPattern: frameTime &- block.frameTime))
      if block.samples.indices.contains(offset) {
        return Double(block.samples[offset]) * Double(1 << 23)
      }
    }
    return nil
  }

  /// The last captured frame of the file.
  var lastNumber: Double? {
    blocks.last { $0.samples.contains { $0 > 0 } }?.samples.last { $0 > 0 }
      .map { Double($0) * Double(1 << 23) }
  }

  /// Whether the latest sound is continuous for longer than any fade.
  var isSteady: Bool {
    let recent = blocks.suffix(Self.fadeFrames / max(1, output.bufferSize) + 2)
    let samples = recent.flatMap(\.samples)
    guard samples.count >= Self.fadeFrames else { return false }
    let step = Double(Self.fileRate) / output.sampleRate
    return zip(samples, samples.dropFirst()).allSatisfy {
      abs(Double($1 - $0) * Double(1 << 23) - step) < 1
    }
  }

  /// The player's reported next frame minus the frame at the port at that time, in frames of the file; nil
  /// if that frame was not captured.
  func positionError() -> Double? {
    let snapshot = player.snapshot()
    let said = Double(snapshot.positionNanoseconds) * Double(Self.fileRate) / 1e9 + 1
    // The connection back takes a cycle.
    let time = snapshot.frameTime &+ UInt32(output.bufferSize)
    guard pumps(seconds: 1, until: { number(at: time) != nil }), let heard = number(at: time) else {
      return nil
    }
    return said - heard
  }
}
