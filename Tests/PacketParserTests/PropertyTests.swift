// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// A stream's properties before, during and after the parse.
@Suite struct PropertyTests {
  private func code(
    _ body: () throws -> Void
  ) -> AudioFileStreamError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? AudioFileStreamError)?.code
    }
  }

  private func parsed(_ bytes: [UInt8], _ count: Int? = nil) throws -> AudioFileStream {
    var stream = AudioFileStream()
    var recorder = Recorder()
    try stream.parse(bytes.span.extracting(0..<(count ?? bytes.count)), listener: &recorder)
    return stream
  }

  @Test("In MPEG audio, packets, frames and bytes translate there and back")
  func mpegTranslations() throws {
    let bytes = SyntheticTag.id3v2(100) + SyntheticFrame.stream(100)
    let places = parse(bytes).recorder.packetOffsets
    let stream = try parsed(bytes)
    for packet in 0..<99 {
      let number = Int64(packet)
      let frame = try stream.firstFrame(ofPacket: number)
      #expect(frame == number * 1152)
      for offset in [Int64(0), 1, 1151] {
        #expect(
          try stream.packet(containingFrame: frame + offset)
            == AudioFramePacketTranslation(
              frame: frame + offset, packet: number, frameOffsetInPacket: offset))
      }
      let place = places[packet] - places[0]
      #expect(
        try stream.byte(ofPacket: number)
          == AudioBytePacketTranslation(
            byte: place, packet: number, byteOffsetInPacket: 0, isEstimated: false))
      for offset in [Int64(0), 1, 416] {
        #expect(
          try stream.packet(containingByte: place + offset)
            == AudioBytePacketTranslation(
              byte: place + offset, packet: number, byteOffsetInPacket: offset, isEstimated: false))
      }
    }
  }

  @Test("Unseen parts of a variable bit rate translate as estimates, and back to nearby values")
  func estimatedTranslations() throws {
    let workshop = Workshop()
    try workshop.run(
      "\(MPEGAudioOracleTests.tone(44100, 2)) && lame --quiet -t -V 3 in.wav out.mp3")
    let bytes = try workshop.read("out.mp3")
    let stream = try parsed(bytes, 10_000)
    let there = try stream.byte(ofPacket: 90)
    #expect(there.isEstimated && there.byteOffsetInPacket == 0)
    let back = try stream.packet(containingByte: there.byte)
    #expect(back.isEstimated && abs(back.packet - 90) <= 1)
  }

  @Test("In WAVE, packets, frames and bytes translate there and back")
  func waveTranslations() throws {
    let bytes = SyntheticWave().bytes(frames: 500)
    let stream = try parsed(bytes, 100)
    for packet in [Int64(0), 1, 250, 499] {
      #expect(try stream.firstFrame(ofPacket: packet) == packet)
      #expect(try stream.packet(containingFrame: packet).packet == packet)
      #expect(
        try stream.byte(ofPacket: packet)
          == AudioBytePacketTranslation(
            byte: packet * 4, packet: packet, byteOffsetInPacket: 0, isEstimated: false))
      #expect(
        try stream.packet(containingByte: packet * 4 + 3)
          == AudioBytePacketTranslation(
            byte: packet * 4 + 3, packet: packet, byteOffsetInPacket: 3, isEstimated: false))
    }
    #expect(code { _ = try stream.firstFrame(ofPacket: 500) } == .invalidPacketOffset)
    #expect(code { _ = try stream.packet(containingFrame: 500) } == .invalidPacketOffset)
    #expect(code { _ = try stream.packet(containingByte: 2000) } == .invalidPacketOffset)
  }

  @Test("Packets, frames and bytes that do not exist are refused, and all before the audio")
  func refusals() throws {
    let new = AudioFileStream()
    #expect(code { _ = try new.firstFrame(ofPacket: 0) } == .dataUnavailable)
    #expect(code { _ = try new.packet(containingFrame: 0) } == .dataUnavailable)
    #expect(code { _ = try new.byte(ofPacket: 0) } == .dataUnavailable)
    #expect(code { _ = try new.packet(containingByte: 0) } == .dataUnavailable)
    let stream = try parsed(SyntheticFrame.stream(20))
    for number in [-1, Int64.min, Int64.max] {
      #expect(code { _ = try stream.firstFrame(ofPacket: number) } == .invalidPacketOffset)
      #expect(code { _ = try stream.packet(containingFrame: number) } == .invalidPacketOffset)
      #expect(code { _ = try stream.byte(ofPacket: number) } == .invalidPacketOffset)
    }
    #expect(code { _ = try stream.packet(containingByte: -1) } == .invalidPacketOffset)
    // An estimate for the largest byte offset is harmless.
    _ = try? stream.packet(containingByte: .max)
  }

  @Test("Cookie, format list and layout match the encoding")
  func decoderProperties() throws {
    let new = AudioFileStream()
    for property in [AudioFileStreamPropertyID.magicCookieData, .formatList, .infoDictionary] {
      #expect(describe(new, property).contains("'more'"))
    }
    let stream = try parsed(SyntheticFrame.stream(8))
    #expect(code { _ = try stream.magicCookieData } == .unsupportedProperty)
    #expect(code { _ = try stream.infoDictionary } == .valueUnknown)
    let list = try stream.formatList
    #expect(list.count == 1)
    #expect(list.first?.format == (try stream.dataFormat))
    #expect(list.first?.channelLayout?.labels == [1, 2])
    let wave = try parsed(SyntheticWave().bytes(frames: 10))
    #expect(code { _ = try wave.magicCookieData } == .unsupportedProperty)
    #expect(try wave.formatList.map(\.format) == [try wave.dataFormat])
  }

  @Test("Tags are reported before ready, and the format list always")
  func toldProperties() throws {
    let maker = SyntheticID3(version: 4)
    let bytes = maker.tag(maker.text("TIT2", "t")) + SyntheticFrame.stream(8)
    let told = parse(bytes).recorder.properties
    #expect(
      told == ["ffmt", "dfmt", "flst", "cmap", "doff", "pkub", "brat", "info", "redy"])
    let bare = parse(SyntheticFrame.stream(8)).recorder.properties
    #expect(bare == ["ffmt", "dfmt", "flst", "cmap", "doff", "pkub", "brat", "redy"])
  }

  @Test("The info dictionary's keys are Core Audio's")
  func coreAudioNames() {
    #expect(AudioTagKey.track.coreAudioName == "track number")
    #expect(AudioTagKey.date.coreAudioName == "year")
    #expect(AudioTagKey.comment.coreAudioName == "comments")
    #expect(AudioTagKey.encoder.coreAudioName == "encoding application")
    #expect(AudioTagKey.tempo.coreAudioName == "tempo")
    #expect(AudioTagKey.title.coreAudioName == "title")
  }

  @Test("After the end, parsing is legal only after a seek; closing is legal at any time")
  func illegal() throws {
    var stream = AudioFileStream()
    let bytes = SyntheticFrame.stream(8)
    var recorder = parse(bytes, with: &stream).recorder
    let hasEnded = stream.isFinished
    #expect(hasEnded)
    do throws(AudioFileStreamError) {
      try stream.parse(bytes.span, listener: &recorder)
      Issue.record("no error")
    } catch {
      #expect(error.code == .illegalOperation)
    }
    _ = try stream.seek(toPacket: 0)
    try stream.parse(bytes.span, listener: &recorder)
    stream.close()
    AudioFileStream().close()
    let half = try parsed(bytes, 1000)
    half.close()
  }
}
