// SPDX-License-Identifier: MIT

import Drawbar
import JACKRemoteIO
import PlayerProgram
import RenderCore

/// The tutorial's simple player on an AudioQueue: it fetches, parses and keeps packets, and pushes them into the queue
/// in buffers of five seconds. The steps have the tutorial's numbers.
///
/// The tutorial does all of it on one run loop. Here the queue calls back on its own thread, so a lock protects the
/// tutorial's instance variables.
final class AudioQueuePlayer: Sendable {
  private struct State {
    var output: RemoteIO?
    var renderer: Renderer?
    var queue: AudioQueue?
    var format: AudioStreamBasicDescription?
    var packets: [KeptPacket] = []
    /// Whether no more packets will come.
    var isLoaded = false
    /// Whether the queue has been started.
    var isStarted = false
    /// Whether the queue has no buffer, and waits for enough packets.
    var isWaiting = true
    /// Whether the queue has played everything.
    var isStopped = false
    /// The error of a callback, which cannot throw.
    var failure: (any Error)?

    /// The playing time of the packets that have not been enqueued.
    var keptSeconds: Double {
      guard let format else { return 0 }
      return Double(packets.reduce(0) { $0 + $1.frameCount }) / format.sampleRate
    }
  }

  /// A program of yours would use a `Mutex` here; this one's tests need a lock that ThreadSanitizer knows.
  private let state = POSIXMutex(State())

  /// Plays a location to its end, or until a signal comes.
  func play(_ location: String, until signals: TerminationSignals) throws {
    defer { close() }
    // Step 1: a connection, and a parser with two callbacks. `StreamDriver` is both: it passes the source's bytes to
    // an `AudioFileStream`, and reads on at the byte offset that the parser asks for, so that files with their index
    // at the end, or a large picture at the start, play, too.
    let driver = StreamDriver(
      try openByteSource(location), listener: StreamCallbacks(player: self))
    while try !isStopped() {
      if signals.arrive(withinMilliseconds: wantsPackets ? 0 : 50) { return }
      if wantsPackets {
        // Step 2: some bytes have arrived; the parser finds the packets in them.
        if try driver.step(timeoutNanoseconds: 50_000_000) == .ended {
          didFinishLoading(location)
        }
      }
    }
    let (output, renderer) = state.withLock { ($0.output, $0.renderer) }
    if let output, let renderer { output.waitUntilHeard(renderer, or: signals) }
  }

  // MARK: Parser callbacks

  /// Step 3: the parser knows the format. Creates the queue for it, and the queue's output.
  ///
  /// An AudioQueue of Core Audio finds the loudspeaker by itself. Here the output is a JACK client and the renderer
  /// that its process callback calls.
  func createQueue(for stream: borrowing AudioFileStream) {
    attempt { state in
      let format = try stream.dataFormat
      guard state.queue == nil else {
        if format == state.format { return }
        throw PlayerFailure(
          "the stream goes on in another format, which this player does not follow")
      }
      let output = try RemoteIO(RemoteIO.Configuration(clientName: "audio-queue-player"))
      let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
      let queue = try AudioQueue(playing: format, into: renderer) { [weak self] queue, buffer in
        self?.takeBack(buffer, from: queue)
      }
      if let cookie = try? stream.magicCookieData, !cookie.isEmpty {
        try queue.setMagicCookie(cookie)
      }
      queue.addPropertyListener(.isRunning) { [weak self] queue, _ in
        if !queue.isRunning { self?.state.withLock { $0.isStopped = true } }
      }
      try output.start(rendering: renderer)
      (state.output, state.renderer, state.queue) = (output, renderer, queue)
      state.format = format
    }
  }

  /// Step 4: the parser has found packets. Keeps them, and starts the queue if there are enough.
  func store(_ packets: [KeptPacket]) {
    attempt { state in
      state.packets += packets
      try enqueueIfReady(&state)
    }
  }

  /// Handles the end of fetching.
  private func didFinishLoading(_ location: String) {
    attempt { state in
      state.isLoaded = true
      guard state.isStarted || !state.packets.isEmpty else {
        throw PlayerFailure("\(location): there is no sound in it")
      }
      try enqueueIfReady(&state)
    }
  }

  // MARK: Into the queue

  /// Step 5: starts with three seconds of packets, so that the sound will not stutter. Does the same after the network
  /// was too slow, which the tutorial leaves to the reader. A sound shorter than three seconds starts when all of it
  /// has arrived.
  private func enqueueIfReady(_ state: inout State) throws {
    guard let queue = state.queue, state.isWaiting,
      state.isLoaded || state.keptSeconds >= 3
    else { return }
    try enqueue(seconds: 3, &state)
    if !state.isStarted {
      state.isStarted = true
      try queue.start()
    }
  }

  /// Enqueues a new buffer with packets of the given playing time.
  private func enqueue(seconds: Double, _ state: inout State) throws {
    guard let queue = state.queue, let format = state.format else { return }
    state.isWaiting = state.packets.isEmpty
    if state.packets.isEmpty {
      // Step 6, the end: everything has been sent. The queue stops after the enqueued buffers.
      if state.isLoaded { try queue.stop(immediately: false) }
      return
    }
    var (count, byteCount, frameCount) = (0, 0, 0)
    while count < state.packets.count, Double(frameCount) < seconds * format.sampleRate {
      byteCount += state.packets[count].bytes.count
      frameCount += state.packets[count].frameCount
      count += 1
    }
    let buffer = try queue.allocateBuffer(
      byteCapacity: byteCount, packetDescriptionCapacity: count)
    for packet in state.packets[..<count] {
      if format.bytesPerPacket > 0 {
        buffer.append(packet.bytes.span)
      } else {
        buffer.append(packet: packet.bytes.span, frameCount: UInt32(packet.frameCount))
      }
    }
    try queue.enqueue(buffer)
    // The tutorial moves a read head and keeps everything. Here sent packets are removed, so that an endless stream
    // does not fill the memory.
    state.packets.removeFirst(count)
  }

  /// Step 6: the queue has taken a buffer's data, a second before the end of its sound. Frees it, and enqueues the
  /// next five seconds.
  private func takeBack(_ buffer: AudioQueueBuffer, from queue: AudioQueue) {
    attempt { state in
      try queue.free(buffer)
      try enqueue(seconds: 5, &state)
    }
  }

  // MARK: The end

  /// Whether to fetch: fetching pauses while half a minute of packets is kept.
  private var wantsPackets: Bool {
    state.withLock { !$0.isLoaded && $0.keptSeconds < 30 }
  }

  /// Returns true if the queue has played everything.
  ///
  /// - Throws: the error of a callback, or of a server that has ended.
  private func isStopped() throws -> Bool {
    let (isStopped, failure, output, renderer) = state.withLock {
      ($0.isStopped, $0.failure, $0.output, $0.renderer)
    }
    if let failure { throw failure }
    if let rate = try output?.takeServerChanges() { renderer?.sampleRate = rate }
    return isStopped
  }

  /// Runs a body that may fail inside of a callback; the loop in `play` throws its error.
  private func attempt(_ body: (inout State) throws -> Void) {
    state.withLock { state in
      guard state.failure == nil, !state.isStopped else { return }
      do { try body(&state) } catch { state.failure = error }
    }
  }

  private func close() {
    let (output, queue) = state.withLock { state in
      state.isStopped = true
      return (state.output, state.queue)
    }
    // Returns every buffer through the callback, which takes the lock, so the lock must not be held.
    try? queue?.dispose(immediately: true)
    output?.close()
  }
}
