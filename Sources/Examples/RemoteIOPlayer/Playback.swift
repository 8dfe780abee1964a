// SPDX-License-Identifier: MIT

import Drawbar
import Synchronization

/// The tutorial's own status, `'kknd'`: no packet is there now, but the stream has not ended.
enum FillStatus {
  static var noData: Int32 { @_noLocks get { 0x6B6B_6E64 } }
}

/// The render thread's state. It has a fixed address and contains no class instances, because those would need
/// reference counts and exclusivity checks on the render thread. Two threads use it at once, so neither calls a
/// `mutating` method on it, and values that both see are atomic.
@safe
struct Playback: ~Copyable {
  /// Set once, before ``isPlaying``.
  var converter: UnsafeMutablePointer<RenderConverter>?

  /// Set by the player: whether packets are to be rendered, and whether no more will be added.
  let isPlaying = Atomic<Bool>(false)
  let isLoaded = Atomic<Bool>(false)
  /// Set by the render thread: the last packet that it took, the frames up to that packet's end, and whether it has
  /// rendered the last one.
  let currentAddress: Atomic<UInt>
  let takenFrames = Atomic<Int>(0)
  let hasEnded = Atomic<Bool>(false)

  init(startingAt first: UnsafeMutablePointer<KeptPacket>) {
    currentAddress = Atomic(UInt(bitPattern: first))
  }

  /// Returns the next packet, and moves the tutorial's read head over it.
  @_noLocks
  func takePacket() -> RenderConverter.Answer {
    let currentAddress = currentAddress.load(ordering: .relaxed)
    guard let current = unsafe UnsafeMutablePointer<KeptPacket>(bitPattern: currentAddress) else {
      return .endOfStream
    }
    // Loaded in this order, so that packets added before `isLoaded` was set are seen.
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

/// Step 6: the render callback of the Remote IO unit, called on JACK's process thread. The unit's buffers are silent,
/// so the callback just returns if it has nothing to play.
///
/// `@_noLocks` makes the compiler refuse code that could make the thread wait, or allocate.
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
  // Step 7: the converter turns packets into frames. The tutorial converts to 16-bit stereo at 44.1 kHz, in its own
  // buffer; JACK's ports are float, one per channel, at the server's rate, and the converter writes straight into
  // them.
  let fill = unsafe converter.pointee.fill(buffers, frameCount: call.pointee.frameCount) {
    unsafe fillConverter(playback)
  }
  switch fill.status {
  case .complete: break
  case .stopped:
    // `noData`: all packets have been taken. The tutorial would play the next packet as soon as it arrives, and
    // stutter; this waits until the player sets `isPlaying` again.
    unsafe playback.pointee.isPlaying.store(false, ordering: .relaxed)
  case .endOfStream: unsafe playback.pointee.hasEnded.store(true, ordering: .releasing)
  }
  // The tutorial returns an error here; JACK would then remove the client from its graph.
  return 0
}

/// Step 8: the converter's fill callback. Returns one packet without a copy.
@_noLocks
private func fillConverter(_ playback: UnsafeMutablePointer<Playback>) -> RenderConverter.Answer {
  unsafe playback.pointee.takePacket()
}
