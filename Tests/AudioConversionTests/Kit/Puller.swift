// SPDX-License-Identifier: MIT

import AudioConversion
import AudioModel
import TestKit

/// A converter, and the file whose packets its callback returns in runs.
final class Puller {
  let converter: AudioConverter
  let file: PacketFile
  /// The packets of one run.
  var packetsPerRun: Int
  /// The next packet.
  var next = 0
  /// The minimum of packets that each call of the callback asked for.
  var asked: [Int] = []
  /// Answers that precede the file's packets.
  var script: [AudioConverter.Answer] = []

  init(
    _ file: PacketFile, to destination: AudioStreamBasicDescription, packetsPerRun: Int = 1
  ) throws {
    converter = try AudioConverter(decoding: file.stream, to: destination)
    self.file = file
    self.packetsPerRun = packetsPerRun
  }

  /// Returns the next answer, as the fill callback.
  func answer(_ minimum: Int) -> AudioConverter.Answer {
    asked.append(minimum)
    if !script.isEmpty { return script.removeFirst() }
    let count = min(packetsPerRun, file.count - next)
    guard count > 0 else { return .endOfStream }
    let (bytes, descriptions) = file.run(next..<next + count)
    next += count
    return .packets(AudioConverter.Packets(bytes, descriptions: descriptions, count: count))
  }

  /// Fills buffers once.
  ///
  /// - Returns: the written bytes, one array for each buffer, and the result.
  func fill(_ frames: Int) -> ([[UInt8]], AudioConverter.Fill) {
    let format = converter.outputFormat
    let planes =
      format.formatFlags.contains(.nonInterleaved) ? Int(format.channelsPerFrame) : 1
    let size = frames * Int(format.bytesPerFrame)
    let buffers = unsafe (0..<planes).map { _ in
      UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    }
    defer { for index in unsafe buffers.indices { unsafe buffers[index].deallocate() } }
    let result = unsafe converter.fill(buffers, packetCount: frames, from: answer)
    let written = result.packetCount * Int(format.bytesPerFrame)
    return (unsafe buffers.map { unsafe Array($0[..<written]) }, result)
  }

  /// Fills until the end or a status, `frames` at a time.
  func drain(_ frames: Int = 4096) -> [[UInt8]] {
    var all: [[UInt8]] = []
    while true {
      let (bytes, result) = fill(frames)
      if all.isEmpty {
        all = bytes
      } else {
        for plane in all.indices { all[plane] += bytes[plane] }
      }
      guard case .complete = result.status else { return all }
    }
  }
}

/// The three kinds of conversion with which each rule is tested.
enum Kind: CaseIterable {
  case linearPCM, rateConversion, mp3

  func file() throws -> PacketFile {
    try PacketFile(path: self == .mp3 ? Samples.mp3 : Samples.wave16)
  }

  var destination: AudioStreamBasicDescription {
    .float(self == .rateConversion ? 48000 : 44100, 2)
  }

  /// Returns the whole output of one call.
  func reference() throws -> [UInt8] {
    let file = try file()
    return try Puller(file, to: destination, packetsPerRun: file.count).drain(1 << 20)[0]
  }
}
