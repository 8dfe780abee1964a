// SPDX-License-Identifier: MIT

import Drawbar
import JACKRemoteIO
import PlayerProgram
import RenderCore

/// The tutorial's simple player on an AudioQueue: it fetches, parses, keeps packets, and pushes them into
/// the queue in buffers of five seconds. The steps have the tutorial's numbers.
///
/// The tutorial does all of it on one run loop. Here the queue calls back on a thread of its own, hence
/// the lock around what the tutorial has as instance variables.
final class AudioQueuePlayer: Sendable {
  private struct State {
    var output: RemoteIO?
    var renderer: Renderer?
    var queue: AudioQueue?
    var format: AudioStreamBasicDescription?
    var packets: [KeptPacket] = []
    /// No more packets will come.
    var isLoaded = false
    /// The queue has been started.
    var isStarted = false
    /// The queue has no buffer: it has to wait until enough packets are there.
    var isWaiting = true
    /// The queue has played everything.
    var isStopped = false
    /// What went wrong in a callback, which cannot throw.
    var failure: (any Error)?

    /// How long the packets sound that have not been sent.
    var keptSeconds: Double {
      guard let format else { return 0 }
      return Double(packets.reduce(0) { $0 + $1.frameCount }) / format.sampleRate
    }
  }

  /// A program of yours would have a `Mutex` here; this one's tests want a lock that ThreadSanitizer knows.
  private let state = GuardedState(State())

  /// Plays a location to its end, or until a signal comes.
  func play(_ location: String, until signals: TerminationSignals) throws {
    defer { close() }
    // Step 1: a connection, and a parser with two callbacks. `StreamDriver` is both: it hands the
    // source's bytes to an `AudioFileStream`, and reads on where that wants to, so that files with
    // their index at the end, or a large picture at the start, play, too.
    let driver = StreamDriver(
      try openByteSource(location), listener: StreamCallbacks(player: self))
    while try !isStopped() {
      if signals.arrive(withinMilliseconds: wantsPackets ? 0 : 50) { return }
      if wantsPackets {
        // Step 2: some bytes have arrived; have the parser find the packets in them.
        if try driver.step(timeoutNanoseconds: 50_000_000) == .ended {
          didFinishLoading(location)
        }
      }
    }
    let (output, renderer) = state.withLock { ($0.output, $0.renderer) }
    if let output, let renderer { output.waitUntilHeard(renderer, or: signals) }
  }

  // MARK: What the parser calls

  /// Step 3: the parser knows the format. Makes the queue for it, and what it plays into.
  ///
  /// An AudioQueue of Core Audio finds the loudspeaker by itself; here that is a JACK client and the
  /// renderer that its process callback calls.
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

  /// Step 4: the parser has found packets. Keeps them, and starts when there are enough.
  func store(_ packets: [KeptPacket]) {
    attempt { state in
      state.packets += packets
      try enqueueIfReady(&state)
    }
  }

  /// All has been fetched.
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

  /// Step 5: three seconds are there, so that the sound will not stutter: start. The same after the
  /// network was too slow, which the tutorial leaves to the reader; and a sound that is shorter than
  /// three seconds starts when all of it is there.
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

  /// Puts packets that sound for so long into a new buffer, and enqueues that.
  private func enqueue(seconds: Double, _ state: inout State) throws {
    guard let queue = state.queue, let format = state.format else { return }
    state.isWaiting = state.packets.isEmpty
    if state.packets.isEmpty {
      // Step 6, the end: everything has been sent. Not at once: what is enqueued is to be heard.
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
    // The tutorial moves a read head and keeps everything. This does not: the memory of an endless
    // stream has to end somewhere.
    state.packets.removeFirst(count)
  }

  /// Step 6: the queue has taken a buffer's data, a second before the end of it is heard. Frees it, and
  /// enqueues the next five seconds.
  private func takeBack(_ buffer: AudioQueueBuffer, from queue: AudioQueue) {
    attempt { state in
      try queue.free(buffer)
      try enqueue(seconds: 5, &state)
    }
  }

  // MARK: The end

  /// Fetching pauses while half a minute is kept.
  private var wantsPackets: Bool {
    state.withLock { !$0.isLoaded && $0.keptSeconds < 30 }
  }

  /// Whether the queue has played everything.
  ///
  /// - Throws: what went wrong in a callback, or that the server has ended.
  private func isStopped() throws -> Bool {
    let (isStopped, failure, output, renderer) = state.withLock {
      ($0.isStopped, $0.failure, $0.output, $0.renderer)
    }
    if let failure { throw failure }
    if let rate = try output?.takeServerChanges() { renderer?.sampleRate = rate }
    return isStopped
  }

  /// Runs what may fail inside of a callback; the loop in `play` throws it.
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
    // Gives every buffer back, through the callback, which takes the lock: so not while it is held.
    try? queue?.dispose(immediately: true)
    output?.close()
  }
}
