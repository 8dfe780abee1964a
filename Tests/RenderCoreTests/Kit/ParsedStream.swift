// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit

@testable import RenderCore

/// A whole file's packets, as the parser delivers them.
struct ParsedStream: AudioFileStreamListener {
  struct Packet {
    var bytes: [UInt8]
    var frames: Int
  }

  var stream = CodedStreamDescription(
    format: AudioStreamBasicDescription(sampleRate: 0, formatID: .linearPCM))
  var packets: [Packet] = []
  var failure: AudioFileStreamError?

  init(_ path: String) {
    let bytes = contents(ofFile: path)
    var parser = AudioFileStream()
    do throws(AudioFileStreamError) {
      try parser.parse(bytes.span, listener: &self)
      try parser.finish(listener: &self)
    } catch {
      failure = error
    }
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID
  ) {
    guard property == .readyToProducePackets, let format = try? stream.dataFormat else { return }
    self.stream = CodedStreamDescription(
      format: format, layout: try? stream.channelLayout,
      magicCookie: (try? stream.magicCookieData) ?? [])
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, produced packets: AudioFileStreamPackets,
    bytes: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>
  ) {
    let constant = Int(self.stream.format.framesPerPacket)
    for index in descriptions.indices {
      let place = descriptions[index]
      let start = Int(place.startOffset)
      self.packets.append(
        Packet(
          bytes: unsafe bytes.withUnsafeBufferPointer {
            unsafe Array($0[start..<start + Int(place.dataByteSize)])
          },
          frames: constant > 0 ? constant : Int(place.variableFramesInPacket)))
    }
  }

  /// The result of decoding.
  struct Sound {
    var samples: [Float] = []
    var framesOfPackets: [Int] = []
    /// Numbers of the packets that were not decoded.
    var failed: [Int] = []
  }

  /// Decodes all packets, one after the other.
  func decoded() throws(AudioConverterError) -> Sound {
    let decoder = try Self.decoder(stream, first: packets.first?.bytes ?? [])
    var sound = Sound()
    for (index, packet) in packets.enumerated() {
      let (samples, isDecoded) = Self.decode(
        packet, decoder, channels: Int(stream.format.channelsPerFrame))
      sound.samples += samples
      sound.framesOfPackets.append(samples.count / Int(stream.format.channelsPerFrame))
      if !isDecoded { sound.failed.append(index) }
    }
    return sound
  }

  static func decoder(
    _ stream: CodedStreamDescription, first: [UInt8]
  ) throws(AudioConverterError) -> PacketDecoder {
    var result: PacketDecoder?
    var failure: AudioConverterError?
    unsafe first.withUnsafeBytes { bytes in
      do throws(AudioConverterError) {
        result = try unsafe PacketDecoder(stream, firstPacket: bytes)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return result.take()!
  }

  static func decode(
    _ packet: Packet, _ decoder: borrowing PacketDecoder, channels: Int
  ) -> (samples: [Float], isDecoded: Bool) {
    // One byte more than the packet has, so that an empty one has an address.
    unsafe (packet.bytes + [0]).withUnsafeBytes { raw in
      let output = unsafe decoder.decode(
        FilledPacket(
          bytes: raw.baseAddress!, byteCount: packet.bytes.count, frameCount: packet.frames,
          trimStartFrames: 0, trimEndFrames: 0))
      let samples = unsafe UnsafeBufferPointer(
        start: output.samples, count: output.frames * channels)
      return (unsafe Array(samples), output.isDecoded)
    }
  }
}
