// SPDX-License-Identifier: MIT

import AudioModel
import Glibc
import JACKRemoteIO
import RenderCore
import TestKit
import Testing

/// The sound of the test's own output.
private struct Played {
  var frame = 0
  /// Cycles of the tone per frame; 0 plays frame numbers in steps of a 16-bit sample instead.
  var frequency = 0.0
}

private func playInput(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  guard let played = unsafe context?.assumingMemoryBound(to: Played.self) else { return -1 }
  for index in unsafe 0..<call.pointee.frameCount {
    let frame = unsafe played.pointee.frame + index
    let frequency = unsafe played.pointee.frequency
    let sample =
      frequency == 0
      ? Float(frame % 30_000 + 1) / 32768
      : Float(0.5 * sin(2 * Double.pi * frequency * Double(frame)))
    unsafe call.pointee.outputs[0][index] = sample
    unsafe call.pointee.outputs[1][index] = -sample
  }
  unsafe played.pointee.frame += call.pointee.frameCount
  return 0
}

extension OutputTests {
  @Suite("an input callback with its own format")
  struct FormattedInput {
    /// A client whose outputs are connected to its inputs, with a callback at each.
    private func withLoop(
      _ listener: FrameListener, _ format: AudioStreamBasicDescription, inputs: Range<Int>? = nil,
      frequency: Double = 0, on server: JACKServer, _ body: (RemoteIO) throws -> Void
    ) throws {
      let unit = try RemoteIO(
        RemoteIO.Configuration(
          serverName: JACKServer.name, outputPortNames: ["out_1", "out_2"], connection: .none,
          inputPortNames: ["in_1", "in_2"]))
      let renderer = Renderer(sampleRate: unit.sampleRate, outputChannels: 2, inputChannels: 2)
      let played = UnsafeMutablePointer<Played>.allocate(capacity: 1)
      unsafe played.initialize(to: Played(frequency: frequency / unit.sampleRate))
      defer {
        unit.close()
        unsafe played.deallocate()
        withExtendedLifetime(renderer) {}
      }
      // The output has the server's current rate, so it plays the same tone at any other.
      try unsafe renderer.addCallback(
        playInput, context: played,
        format: .linearPCM(
          sampleRate: unit.sampleRate, channels: 2, bitsPerChannel: 32,
          flags: [.float, .packed, .nonInterleaved]))
      try unsafe renderer.addInputCallback(
        hearFrames, context: listener.context, format: format, inputs: inputs)
      try unit.start(rendering: renderer)
      for channel in 1...2 {
        _ = try server.run(["jack_connect", "drawbar:out_\(channel)", "drawbar:in_\(channel)"])
      }
      try body(unit)
    }

    /// Each sample format with enough bits for the sound, in one buffer or two.
    private static let formats = [
      (16, [.signedInteger]), (16, [.signedInteger, .nonInterleaved]),
      (24, [.signedInteger, .bigEndian]), (32, [.signedInteger, .nonInterleaved]),
      (32, [.float]), (64, [.float, .nonInterleaved]),
    ].map { (bits: UInt32, flags: AudioFormatFlags) in
      AudioStreamBasicDescription.linearPCM(
        sampleRate: 48000, channels: 2, bitsPerChannel: bits, flags: flags.union(.packed))
    }

    @Test(
      "receives the sound to the sample, at the server's rate", arguments: formats, [16, 1024])
    func exact(_ format: AudioStreamBasicDescription, _ period: Int) throws {
      for attempt in 1...8 {
        let listener = FrameListener(format, capacityFrames: 240_000)
        var missedCycles: UInt64 = 0
        try JACKServer.with(.waiting(period: period)) { server in
          try withLoop(listener, format, on: server) { unit in
            let before = listener.frameCount
            #expect(eventually { listener.frameCount >= before + 24_000 })
            missedCycles = unit.missedCycleCount
          }
        }
        // On a busy machine the server loses cycles and their sound.
        if missedCycles > 0, attempt < 8 { continue }
        #expect(missedCycles == 0 && listener.wrongCallCount == 0)
        let numbers = (0..<2).map { channel in listener.values(channel).map { $0 * 32768 } }
        // The second channel is connected last.
        let start = try #require(numbers[1].firstIndex { $0 != 0 })
        let heard = numbers[0][start...]
        #expect(heard.count > 12_000)
        let follows = zip(heard, heard.dropFirst()).allSatisfy {
          $1 == $0.truncatingRemainder(dividingBy: 30_000) + 1
        }
        #expect(follows)
        #expect(zip(heard, numbers[1][start...]).allSatisfy { $0 == -$1 })
        return
      }
    }

    @Test("runs at its own rate, also on a server that returns at another one")
    func resampled() throws {
      let format = AudioStreamBasicDescription.linearPCM(
        sampleRate: 44100, channels: 1, bitsPerChannel: 32, flags: [.float, .packed])
      try JACKServer.with(.waiting()) { first in
        var server = first
        defer { server.stop() }
        let listener = FrameListener(format, capacityFrames: 60 * 44100)
        try withLoop(listener, format, inputs: 0..<1, frequency: 997, on: server) { unit in
          for rate in [48000, 96000, 44100] {
            if rate != 48000 {
              server.kill()
              #expect(eventually { unit.isServerShutDown })
              var options = JACKServer.Options.waiting()
              options.sampleRate = rate
              server = try JACKServer.start(options)
              #expect(eventually { unit.sampleRate == Double(rate) })
            }
            let before = listener.frameCount
            #expect(eventually { listener.frameCount >= before + 66_150 }, "\(rate)")
            let heard = listener.values(0).suffix(44_100).map { Float($0) }
            let fit = SineFit(heard[...], sampleRate: 44100, near: 997)
            #expect(
              abs(fit.frequency - 997) < 0.01 && fit.signalToResidual > 100, "\(rate): \(fit)")
          }
          #expect(listener.wrongCallCount == 0)
        }
      }
    }
  }
}
