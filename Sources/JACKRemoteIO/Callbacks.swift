// SPDX-License-Identifier: MIT

internal import CJACK
internal import CRealtimeScope
internal import Synchronization

// The functions that libjack calls, at file scope and passed by name: a closure formed on the main
// actor would inherit its isolation and trap on JACK's threads. The argument is the address of an
// `OutputState`, which outlives the client. None of them calls the server: jack2 refuses that on its
// notification thread.

/// Runs on the process thread, once a cycle. Always returns 0: on any other value jack2 silently drops the
/// client from the graph.
@_noLocks
func remoteIOProcess(_ frameCount: jack_nframes_t, _ argument: UnsafeMutableRawPointer?) -> Int32 {
  drawbar_realtime_enter()
  if let argument = unsafe argument {
    unsafe argument.assumingMemoryBound(to: OutputState.self).pointee.process(
      frameCount: frameCount)
  }
  drawbar_realtime_exit()
  return 0
}

/// Runs on the process thread before a cycle, while the transport waits for slow clients, and returns whether
/// it may roll. Only reads values written by earlier cycles.
@_noLocks
func remoteIOSync(
  _: jack_transport_state_t, _ position: UnsafeMutablePointer<jack_position_t>?,
  _ argument: UnsafeMutableRawPointer?
) -> Int32 {
  guard let position = unsafe position, let argument = unsafe argument else { return 1 }
  let frame = unsafe cjack_position_frame(position)
  return unsafe argument.assumingMemoryBound(to: OutputState.self).pointee
    .isReady(forTransportFrame: frame) ? 1 : 0
}

/// Runs on each of libjack's threads when the thread begins; on some of them twice.
func remoteIOThreadInit(_ argument: UnsafeMutableRawPointer?) {
  unsafe state(argument)?.pointee.threads.noteCurrentThread()
}

/// Runs on the notification thread, or in later PipeWire releases on the process thread. So it only counts,
/// without a system call to wake the owner.
func remoteIOXRun(_ argument: UnsafeMutableRawPointer?) -> Int32 {
  unsafe state(argument)?.pointee.xruns.add(1, ordering: .relaxed)
  return 0
}

/// Runs on the process thread while jack2 activates, otherwise on the notification thread. It only notifies:
/// memory for any size exists already, and each cycle passes its own frame count.
func remoteIOBufferSize(
  _ frameCount: jack_nframes_t, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
  guard let state = unsafe state(argument) else { return 0 }
  unsafe state.pointee.bufferSize.store(frameCount, ordering: .relaxed)
  unsafe state.pointee.publishPeriod()
  if unsafe state.pointee.cycles.load(ordering: .relaxed) > 0 { unsafe state.pointee.wakeOwner() }
  return 0
}

/// Runs on the thread that sets the callback; in later PipeWire releases on the notification thread.
func remoteIOSampleRate(
  _ sampleRate: jack_nframes_t, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
  // No renderer has a rate of 0.
  guard sampleRate > 0, let state = unsafe state(argument) else { return 0 }
  let old = unsafe state.pointee.sampleRate.exchange(sampleRate, ordering: .relaxed)
  if old != sampleRate { unsafe state.pointee.wakeOwner() }
  return 0
}

/// Runs on the notification thread.
func remoteIOFreewheel(_ isStarting: Int32, _ argument: UnsafeMutableRawPointer?) {
  guard let state = unsafe state(argument) else { return }
  unsafe state.pointee.isFreewheeling.store(isStarting != 0, ordering: .relaxed)
  unsafe state.pointee.wakeOwner()
}

/// Runs once, on a libjack thread; no callback follows. The client must not be closed here.
func remoteIOShutdown(
  _ status: jack_status_t, _ reason: UnsafePointer<CChar>?, _ argument: UnsafeMutableRawPointer?
) {
  guard let state = unsafe state(argument) else { return }
  let text = unsafe reason.map { unsafe String(cString: $0) } ?? ""
  unsafe state.pointee.farewell.noteCurrentThread()
  unsafe state.pointee.noteShutDown(reason: text.isEmpty ? "no reason given" : text)
}

/// Runs on the notification thread.
func remoteIOPortConnect(
  _: jack_port_id_t, _: jack_port_id_t, _: Int32, _ argument: UnsafeMutableRawPointer?
) {
  unsafe state(argument)?.pointee.noteGraphChange()
}

/// Runs on the notification thread.
func remoteIOPortRegistration(
  _: jack_port_id_t, _: Int32, _ argument: UnsafeMutableRawPointer?
) {
  unsafe state(argument)?.pointee.noteGraphChange()
}

private func state(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<OutputState>? {
  unsafe argument?.assumingMemoryBound(to: OutputState.self)
}
