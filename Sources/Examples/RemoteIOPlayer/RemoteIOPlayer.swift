// SPDX-License-Identifier: MIT

import Drawbar
import JACKRemoteIO
import PlayerProgram
import Synchronization

/// The tutorial's simple player on a Remote IO unit: it fetches, parses and keeps packets as the AudioQueue player
/// does, but pushes nothing: the unit's render callback pulls the packets through a converter. The steps have the
/// tutorial's numbers; the render thread's steps 6 to 8 are in `Playback.swift`.
///
/// All other steps run on one thread, as in the tutorial.
@safe
final class RemoteIOPlayer {
  private let output: RemoteIO
  private let renderer: Renderer
  private var packets = KeptPackets()
  private let playback: UnsafeMutablePointer<Playback>
  private var stream: CodedStreamDescription?
  private var isLoaded = false
  /// The error of a callback of the parser, which cannot throw.
  private var failure: (any Error)?

  /// Builds the output unit: a Remote IO unit with a render callback.
  ///
  /// There is no component to look for and no stream format to set: the unit is a JACK client, and its format is the
  /// server's. It runs from the start, silent until there is something to play, because stopping a JACK client drops
  /// its connections.
  init() throws {
    output = try RemoteIO(RemoteIO.Configuration(clientName: "remote-io-player"))
    renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
    unsafe playback = .allocate(capacity: 1)
    unsafe playback.initialize(to: Playback(startingAt: packets.oldest))
    unsafe renderer.addCallback(renderPlayback, context: playback)
    try output.start(rendering: renderer)
  }

  /// Plays a location to its end, or until a signal comes.
  func play(_ location: String, until signals: TerminationSignals) throws {
    // Step 1: a connection, and a parser with two callbacks. `StreamDriver` is both: it passes the source's bytes to
    // an `AudioFileStream`, and reads on at the byte offset that the parser asks for, so that files with their index
    // at the end, or a large picture at the start, play, too.
    let driver = StreamDriver(
      try openByteSource(location), listener: StreamCallbacks(player: self))
    while unsafe !playback.pointee.hasEnded.load(ordering: .acquiring) {
      let wantsPackets = !isLoaded && keptSeconds < 30
      if signals.arrive(withinMilliseconds: wantsPackets ? 0 : 50) { return }
      if wantsPackets {
        // Step 2: some bytes have arrived; the parser finds the packets in them.
        if try driver.step(timeoutNanoseconds: 50_000_000) == .ended {
          try didFinishLoading(location)
        }
      }
      if let failure { throw PlayerFailure("\(location): \(failure)") }
      startIfReady()
      unsafe packets.free(before: playback.pointee.currentAddress.load(ordering: .acquiring))
      if let rate = try output.takeServerChanges() {
        throw PlayerFailure(
          "the JACK server's rate is now \(Int(rate)) Hz, and the converter was made for another; "
            + "play again")
      }
    }
    output.waitUntilHeard(renderer, or: signals)
  }

  /// Step 3: the parser knows the format. The converter is created with the first packet, which some decoders need for
  /// their setup.
  fileprivate func adoptFormat(of stream: borrowing AudioFileStream) {
    guard let format = try? stream.dataFormat else { return }
    if let known = self.stream {
      if known.format != format {
        failure = PlayerFailure("it goes on in another format, which this player does not follow")
      }
      return
    }
    self.stream = CodedStreamDescription(
      format: format, layout: try? stream.channelLayout,
      magicCookie: (try? stream.magicCookieData) ?? [],
      freeFormatFrameByteCount: try? stream.freeFormatFrameByteCount)
  }

  /// Step 4: the parser has found a packet. Keeps it.
  fileprivate func store(_ packet: Span<UInt8>, frameCount: Int) {
    guard failure == nil, let stream else { return }
    do {
      if unsafe playback.pointee.converter == nil {
        try createConverter(of: stream, firstPacket: packet)
      }
    } catch {
      failure = error
      return
    }
    packets.append(packet, frameCount: frameCount)
  }

  private func createConverter(
    of stream: CodedStreamDescription, firstPacket: Span<UInt8>
  ) throws {
    let converter = UnsafeMutablePointer<RenderConverter>.allocate(capacity: 1)
    do {
      try unsafe firstPacket.withUnsafeBytes { bytes in
        unsafe converter.initialize(
          to: try RenderConverter(
            decoding: stream, firstPacket: bytes, sampleRate: renderer.sampleRate,
            channels: renderer.outputChannels))
      }
    } catch {
      unsafe converter.deallocate()
      throw error
    }
    unsafe playback.pointee.converter = unsafe converter
  }

  /// Handles the end of fetching.
  private func didFinishLoading(_ location: String) throws {
    guard packets.storedFrames > 0 else {
      throw PlayerFailure("\(location): \(failure ?? PlayerFailure("there is no sound in it"))")
    }
    isLoaded = true
    unsafe playback.pointee.isLoaded.store(true, ordering: .releasing)
  }

  /// Step 5: starts to play with three seconds of packets, or with all of them. Does the same after the packets have
  /// run out, which the tutorial leaves to the reader.
  private func startIfReady() {
    guard unsafe playback.pointee.converter != nil, isLoaded || keptSeconds >= 3 else { return }
    unsafe playback.pointee.isPlaying.store(true, ordering: .releasing)
  }

  /// The playing time of the packets that the render callback has not taken.
  private var keptSeconds: Double {
    let taken = unsafe playback.pointee.takenFrames.load(ordering: .relaxed)
    guard let rate = stream?.format.sampleRate else { return 0 }
    return Double(packets.storedFrames - taken) / rate
  }

  /// Ends the unit. If a cycle does not end, its callback's data stays allocated.
  func close() {
    if !output.close() { _ = unsafe Unmanaged.passRetained(self) }
  }

  deinit {
    output.close()
    if let converter = unsafe playback.pointee.converter {
      unsafe converter.deinitialize(count: 1)
      unsafe converter.deallocate()
    }
    unsafe playback.deinitialize(count: 1)
    unsafe playback.deallocate()
  }
}

/// The parser's two callbacks: the tutorial's property listener and packets callback.
private struct StreamCallbacks: StreamDriverListener {
  let player: RemoteIOPlayer
  /// The frames in a run of linear PCM: the maximum that the converter takes at once.
  private static var framesPerRun: Int { 1024 }

  func audioFileStream(
    _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID
  ) {
    // The tutorial waits for the data format. With `'redy'` all properties for a decoder are known.
    let isChange = property == .dataFormat && stream.isReadyToProducePackets
    if property == .readyToProducePackets || isChange { player.adoptFormat(of: stream) }
  }

  func audioFileStream(
    _ stream: borrowing AudioFileStream, produced run: AudioFileStreamPackets,
    bytes: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>
  ) {
    guard let format = try? stream.dataFormat else { return }
    // Packets that all have one size come without descriptions.
    if descriptions.isEmpty {
      let framesPerPacket = max(1, Int(format.framesPerPacket))
      let packetsPerRun = max(1, Self.framesPerRun / framesPerPacket)
      let packetBytes = bytes.count / run.packetCount
      for first in stride(from: 0, to: run.packetCount, by: packetsPerRun) {
        let count = min(packetsPerRun, run.packetCount - first)
        player.store(
          bytes.extracting(first * packetBytes..<(first + count) * packetBytes),
          frameCount: count * framesPerPacket)
      }
      return
    }
    for index in descriptions.indices {
      let description = descriptions[index]
      let start = Int(description.startOffset)
      let frames =
        format.framesPerPacket > 0 ? format.framesPerPacket : description.variableFramesInPacket
      player.store(
        bytes.extracting(start..<start + Int(description.dataByteSize)), frameCount: Int(frames))
    }
  }
}
