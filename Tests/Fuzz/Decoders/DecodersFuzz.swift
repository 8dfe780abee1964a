// SPDX-License-Identifier: MIT

import AudioModel
import PacketDecoders
import RenderCore

/// Reads the input as a stream's format, its magic cookie and its packets, and decodes these like the render
/// callback and like the feeder. Each decoder returns at most the frames that a packet states.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDecoders(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var plan = unsafe DecoderPlan(bytes: [UInt8](UnsafeBufferPointer(start: data, count: count)))
  let stream = plan.stream()
  var packets: [[UInt8]] = []
  while let packet = plan.packet() { packets.append(packet) }
  decodeInCallback(stream, packets)
  decodeAhead(stream, packets)
  return 0
}

private func decodeInCallback(_ stream: CodedStreamDescription, _ packets: [[UInt8]]) {
  guard let first = packets.first,
    let decoder = unsafe try? first.withUnsafeBytes({
      unsafe try OfflinePacketDecoder(stream, firstPacket: $0)
    })
  else { return }
  for packet in packets {
    let stated = frameCount(of: packet, stream.format)
    unsafe packet.withUnsafeBytes { bytes in
      guard let output = unsafe decoder.decode(bytes, frameCount: stated) else { return }
      precondition((0...stated).contains(output.frames), "more frames than stated")
      // AddressSanitizer checks that each sample lies in the decoder's memory.
      let count = output.frames * Int(stream.format.channelsPerFrame)
      let samples = unsafe [Float](UnsafeBufferPointer(start: output.samples, count: count))
      precondition(samples.count == count)
    }
  }
}

private func decodeAhead(_ stream: CodedStreamDescription, _ packets: [[UInt8]]) {
  guard let decoder = try? AheadDecoder(stream) else { return }
  for packet in packets {
    let stated = frameCount(of: packet, stream.format)
    let output = decoder.decode(packet.span, frameCount: stated)
    let channels = Int(decoder.outputFormat.channelsPerFrame)
    precondition(decoder.samples.count == output.frames * channels, "not the frames returned")
  }
}

/// The frames that a parser states for a packet: those of a run where each frame is a packet.
private func frameCount(of packet: [UInt8], _ format: AudioStreamBasicDescription) -> Int {
  guard format.framesPerPacket == 1 else { return max(1, Int(format.framesPerPacket)) }
  return packet.count / max(1, Int(format.bytesPerFrame))
}

private struct DecoderPlan {
  let bytes: [UInt8]
  private var place = 6

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  private static let formats: [AudioFormatID] = [
    .mpegLayer3, .linearPCM, .flac, .opus, .mpeg4AAC, .appleLossless, .vorbis, .appleIMA4,
    .waveIMAADPCM, .microsoftADPCM, .aLaw, .muLaw, .mpegLayer2, .mpegLayer1, .ac3, .enhancedAC3,
  ]

  /// Header byte `index`; 0 behind the end.
  private func header(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }

  mutating func stream() -> CodedStreamDescription {
    let id = Self.formats[Int(header(0) & 15)]
    let channels = UInt32(header(1) & 7) + 1
    let rate = [8000.0, 22050, 44100, 48000, 96000, 192_000, 1, 768_000][Int(header(1) >> 5)]
    var format = AudioStreamBasicDescription(
      sampleRate: rate, formatID: id, channelsPerFrame: channels)
    let size = UInt32(header(2))
    switch id {
    case .linearPCM:
      format = .linearPCM(
        sampleRate: rate, channels: channels, bitsPerChannel: size & 127,
        bytesPerSample: UInt32(header(3) & 15),
        flags: AudioFormatFlags(rawValue: UInt32(header(3) >> 4)))
    case .aLaw, .muLaw:
      format.bytesPerFrame = channels
      (format.bytesPerPacket, format.framesPerPacket, format.bitsPerChannel) = (channels, 1, 8)
    case .appleIMA4: (format.bytesPerPacket, format.framesPerPacket) = (34 * channels, 64)
    case .waveIMAADPCM, .microsoftADPCM:
      let isIMA = id == .waveIMAADPCM
      let headerBytes = (isIMA ? 4 : 7) * channels
      let codes = size * 4 * channels
      format.bytesPerPacket = headerBytes + codes
      // As many frames as fit, or slightly fewer.
      format.framesPerPacket =
        codes * 2 / channels + (isIMA ? 1 : 2) - min(1, UInt32(header(3) & 1))
    default:
      let frames: [UInt32] = [1152, 1024, 4096, 960, 384, 0, 1536, 1]
      format.framesPerPacket = frames[Int(size & 7)]
    }
    let isFreeFormat = header(4) & 0x80 != 0
    let cookie = take(Int(header(5)))
    return CodedStreamDescription(
      format: format, layout: nil, magicCookie: cookie,
      freeFormatFrameByteCount: isFreeFormat ? Int(header(4) & 0x7F) * 16 : nil)
  }

  mutating func packet() -> [UInt8]? {
    guard place + 2 <= bytes.count else { return nil }
    let count = Int(bytes[place]) << 2 | Int(bytes[place + 1] & 3)
    place += 2
    return take(count)
  }

  private mutating func take(_ count: Int) -> [UInt8] {
    let start = min(place, bytes.count)
    place = start + count
    return Array(bytes[start..<min(bytes.count, place)])
  }
}
