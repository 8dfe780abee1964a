// SPDX-License-Identifier: MIT

import AudioModel
import JACKRemoteIO
import RenderCore
import TestKit

@testable import PushQueue

/// A queue with its own JACK client.
final class JACKQueue: Sendable {
  let clientName: String
  let output: RemoteIO
  let renderer: Renderer
  let queue: AudioQueue

  /// - Parameter callback: receives each returned buffer.
  init(
    _ clientName: String, playing format: AudioStreamBasicDescription,
    callback: @escaping AudioQueue.Callback
  ) throws {
    self.clientName = clientName
    output = try RemoteIO(
      RemoteIO.Configuration(
        clientName: clientName, serverName: JACKServer.name, connection: .none))
    renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
    queue = try AudioQueue(playing: format, into: renderer, callback: callback)
    _ = try output.start(rendering: renderer.context)
  }

  /// Disposes of the queue, and closes the client.
  func close() {
    try? queue.dispose(immediately: true)
    output.close()
  }

  var portNames: [String] { ["\(clientName):out_1", "\(clientName):out_2"] }
}

extension JACKServer {
  /// Records ports with another program, which is connected to all of them when this returns.
  func startConnectedCapture(of ports: [String], seconds: Int) -> JACKCapture? {
    let capture = startCapture(of: ports, seconds: seconds)
    let isConnected = eventually {
      let ours = try? self.ports().filter { ports.contains($0.name) }
      return ours?.count { !$0.connections.isEmpty } == ports.count
    }
    return isConnected ? capture : nil
  }
}

/// The position of a sound in a recording, and the agreement between the two.
struct RecordedSound {
  /// Frames that were compared.
  private(set) var frames = 0
  /// Samples that differ from the sound's.
  private(set) var differences = 0
  private let wantedFrames: Int

  /// Whether enough frames were compared, and none differs.
  var isExact: Bool { differences == 0 && frames >= wantedFrames }

  /// - Parameters:
  ///   - channels: the recording.
  ///   - sound: interleaved; the recording begins before it, with silence, and may end before it.
  ///   - wantedFrames: the fewest frames that must be compared.
  init(_ channels: [[Float]], of sound: [Float], atLeast wantedFrames: Int) {
    self.wantedFrames = wantedFrames
    let count = channels.count
    let starts = channels.compactMap { channel in channel.firstIndex { $0 != 0 } }
    guard let start = starts.min(), let first = sound.firstIndex(where: { $0 != 0 }) else { return }
    // The sound itself may begin with silence.
    let offset = start - first / count
    frames = min(channels[0].count - start, sound.count / count - first / count)
    for frame in start..<start + frames {
      for channel in 0..<count
      where channels[channel][frame] != sound[(frame - offset) * count + channel] {
        differences += 1
      }
    }
  }
}
