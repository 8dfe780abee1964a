// SPDX-License-Identifier: MIT

import SessionManagement

/// Reads the input as a session's file. The state is within the documented bounds, and is unchanged after
/// writing and reading. Most inputs are not such a file, so a state with the input as its texts and numbers
/// is checked, too.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSessionState(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe [UInt8](UnsafeBufferPointer(start: data, count: count))
  do throws(SessionStateError) {
    let state = try SessionState(parsing: input)
    check(state, size: input.count)
    checkRoundTrip(state)
  } catch {
    precondition(!error.description.isEmpty)
    if case .notJSON(let offset, _) = error { precondition((0...input.count).contains(offset)) }
  }
  checkRoundTrip(state(of: input))
  return 0
}

private func checkRoundTrip(_ state: SessionState) {
  let written = state.fileBytes
  do throws(SessionStateError) {
    let again = try SessionState(parsing: written)
    precondition(again == state, "another state was read")
    // Equal strings may have different scalars, so the bytes are compared, too.
    precondition(again.fileBytes == written, "another file was written")
  } catch {
    fatalError("what was written is refused: \(error)")
  }
}

private func check(_ state: SessionState, size: Int) {
  precondition(state.arguments.count <= size)
  check(text: state.directory, size: size)
  for argument in state.arguments { check(text: argument, size: size) }
  switch state.content {
  case .play(let play):
    check(play.playback, size: size)
    precondition((0...400).contains(play.volumePercent))
  case .monitor(let monitor):
    precondition((-100...40).contains(monitor.gainDecibels))
    precondition((-100...100).contains(monitor.pan))
    if let frequency = monitor.highPassHertz { precondition((1...20000).contains(frequency)) }
    if let limit = monitor.limitDecibels { precondition((-60...0).contains(limit)) }
    precondition((1...64).contains(monitor.matrix.count))
    let inputs = monitor.matrix[0].count
    precondition((1...64).contains(inputs))
    for row in monitor.matrix {
      precondition(row.count == inputs)
      precondition(row.allSatisfy { $0.map { (-100...40).contains($0) } ?? true })
    }
    precondition(monitor.invertedInputs.allSatisfy { (1...inputs).contains($0) })
    if let playback = monitor.with { check(playback, size: size) }
  }
}

private func check(_ playback: PlaybackState, size: Int) {
  precondition(playback.tracks.indices.contains(playback.track))
  precondition((0...1e9).contains(playback.positionSeconds))
  precondition(playback.tracks.count <= size)
  for track in playback.tracks {
    precondition(!track.location.isEmpty)
    for text in [track.location, track.title, track.creator, track.album] {
      if let text { check(text: text, size: size) }
    }
    if let duration = track.durationSeconds { precondition((0...1e9).contains(duration)) }
  }
}

/// Checks a text's size: no escape is shorter than its character.
private func check(text: String, size: Int) {
  precondition(text.utf8.count <= size && !text.utf8.contains(0))
}

/// A state with the input's valid text as its texts, and with the input's bits as its numbers.
private func state(of input: [UInt8]) -> SessionState {
  let text = String(decoding: input.filter { $0 != 0 }, as: UTF8.self)
  var bits = input.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
  func number(in range: ClosedRange<Double>) -> Double {
    defer { bits = bits &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 }
    let number = Double(bitPattern: bits)
    return range.contains(number) ? number : range.lowerBound
  }
  var track = SavedTrack(location: "/" + text)
  (track.title, track.durationSeconds) = (text, number(in: 0...1e9))
  let playback = PlaybackState(
    tracks: [track], track: 0, positionSeconds: number(in: 0...1e9), isPaused: false)
  return SessionState(
    arguments: [text], directory: text,
    content: .monitor(
      MonitorState(
        gainDecibels: number(in: -100...40), isMuted: false, pan: number(in: -100...100),
        invertedInputs: [1], highPassHertz: number(in: 1...20000),
        limitDecibels: number(in: -60...0), matrix: [[number(in: -100...40), nil]],
        with: playback)))
}
