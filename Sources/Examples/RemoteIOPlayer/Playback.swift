// SPDX-License-Identifier: MIT

import Drawbar
import Synchronization

/// The tutorial's own status, `'kknd'`: no packet is there now, but the stream has not ended.
enum FillStatus {
  static var noData: Int32 { @_noLocks get { 0x6B6B_6E64 } }
}

/// What the render thread works on. It lives at a fixed address, and there is nothing of a class in it,
/// because that would count references and check for exclusive access on the render thread. Two threads
/// have it at once: so neither calls anything `mutating` on it, and what both see is atomic.
@safe
struct Playback: ~Copyable {
  /// Set once, before ``isPlaying``.
  var converter: UnsafeMutablePointer<RenderConverter>?

  /// Told by the player: whether packets are to be rendered, and that none will be added.
  let isPlaying = Atomic<Bool>(false)
  let isLoaded = Atomic<Bool>(false)
  /// Told by the render thread: the packet that it took last and the frames up to that, and that it has
  /// rendered the last one.
  let currentAddress: Atomic<UInt>
  let takenFrames = Atomic<Int>(0)
  let hasEnded = Atomic<Bool>(false)

  init(startingAt first: UnsafeMutablePointer<KeptPacket>) {
    currentAddress = Atomic(UInt(bitPattern: first))
  }

  /// The next packet, with the tutorial's read head moved over it.
  @_noLocks
  func takePacket() -> RenderConverter.Answer {
    let currentAddress = currentAddress.load(ordering: .relaxed)
    guard let current = unsafe UnsafeMutablePointer<KeptPacket>(bitPattern: currentAddress) else {
      return .endOfStream
    }
    // In this order: what was added before it was said that nothing more will be is seen.
    let isLoaded = isLoaded.load(ordering: .acquiring)
    let address = unsafe current.pointee.next.load(ordering: .acquiring)
    guard let next = unsafe UnsafeMutablePointer<KeptPacket>(bitPattern: address) else {
      return isLoaded ? .endOfStream : .status(FillStatus.noData)
    }
    let frames = unsafe next.pointee.frameCount
    takenFrames.add(frames, ordering: .relaxed)
    self.currentAddress.store(address, ordering: .releasing)
    return unsafe .packet(UnsafeRawBufferPointer(next.pointee.bytes), frameCount: frames)
  }
}

/// Step 6: the render callback of the Remote IO unit. JACK's process thread is in it. The unit gives it
/// silent buffers, so it just returns where it has nothing.
///
/// `@_noLocks` has the compiler refuse what could make the thread wait, or allocate.
@_noLocks
func renderPlayback(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  guard let playback = unsafe context?.assumingMemoryBound(to: Playback.self),
    unsafe playback.pointee.isPlaying.load(ordering: .acquiring),
    let converter = unsafe playback.pointee.converter
  else { return 0 }
  let buffers = unsafe UnsafeMutableBufferPointer(
    start: call.pointee.outputs, count: call.pointee.outputCount)
  // Step 7: have the converter turn packets into frames. The tutorial converts to 16-bit stereo at
  // 44.1 kHz, in a buffer of its own; JACK's ports are float, one a channel, at the server's rate, and
  // the converter writes straight into them.
  let fill = unsafe converter.pointee.fill(buffers, frameCount: call.pointee.frameCount) {
    unsafe fillConverter(playback)
  }
  switch fill.status {
  case .complete: break
  case .stopped:
    // `noData`: what there was has been given. The tutorial would play the next packet as soon as
    // that is there, and stutter; this waits until the player says that there are enough again.
    unsafe playback.pointee.isPlaying.store(false, ordering: .relaxed)
  case .endOfStream: unsafe playback.pointee.hasEnded.store(true, ordering: .releasing)
  }
  // Where the tutorial returns an error, JACK would put the client out of its graph.
  return 0
}

/// Step 8: the converter's fill callback. Hands over one packet, where it lies.
@_noLocks
private func fillConverter(_ playback: UnsafeMutablePointer<Playback>) -> RenderConverter.Answer {
  unsafe playback.pointee.takePacket()
}
