// SPDX-License-Identifier: MIT

import Testing

@testable import PlayerEngine

@Suite("Player states")
struct PlayerStateMachineTests {
  private func machine(after inputs: [PlayerStateMachine.Input]) -> PlayerStateMachine {
    var machine = PlayerStateMachine()
    for input in inputs { _ = machine.handle(input) }
    return machine
  }

  @Test("A track goes through opening, buffering and playing to its end")
  func plainLife() {
    var machine = PlayerStateMachine()
    #expect(machine.handle(.open) == [.hold, .tell(.opening)])
    #expect(machine.handle(.formatKnown) == [.tell(.buffering)])
    #expect(machine.handle(.bufferReady) == [.play, .tell(.playing)])
    #expect(machine.handle(.finished(nil)) == [.hold, .tell(.ended)])
    #expect(machine.handle(.finished(nil)) == [])
  }

  @Test("An underrun returns to buffering, and playing resumes by itself")
  func underrun() {
    var machine = machine(after: [.open, .formatKnown, .bufferReady])
    #expect(machine.handle(.underrun) == [.tell(.buffering)])
    #expect(machine.handle(.underrun) == [])
    #expect(machine.handle(.bufferReady) == [.play, .tell(.playing)])
  }

  @Test("A pause fades, and a resume plays as soon as enough is buffered")
  func pause() {
    var machine = machine(after: [.open, .formatKnown, .bufferReady])
    #expect(machine.handle(.pause) == [.fade, .tell(.paused)])
    #expect(machine.handle(.underrun) == [])
    #expect(machine.handle(.resume) == [.tell(.buffering)])
    #expect(machine.handle(.bufferReady) == [.play, .tell(.playing)])
  }

  @Test("A pause while buffering takes effect once sound is ready")
  func pauseWhileBuffering() {
    var machine = machine(after: [.open, .pause, .formatKnown])
    #expect(machine.state == .buffering)
    #expect(machine.handle(.bufferReady) == [.tell(.paused)])
    #expect(machine.handle(.resume) == [.tell(.buffering)])
    #expect(machine.handle(.bufferReady) == [.play, .tell(.playing)])
  }

  @Test("A pause before the start is kept, and a resume cancels it")
  func pauseBeforeStart() {
    var paused = machine(after: [.pause, .open, .formatKnown])
    #expect(paused.handle(.bufferReady) == [.tell(.paused)])
    var resumed = machine(after: [.pause, .resume, .open, .formatKnown])
    #expect(resumed.handle(.bufferReady) == [.play, .tell(.playing)])
  }

  @Test("A stop fades sound that plays, mutes sound that has not begun, and ends in idle")
  func stop() {
    let silent: [[PlayerStateMachine.Input]] = [[], [.open], [.open, .formatKnown]]
    let sounding: [[PlayerStateMachine.Input]] = [
      [.open, .formatKnown, .bufferReady], [.open, .formatKnown, .bufferReady, .pause],
    ]
    for inputs in silent + sounding {
      var machine = machine(after: inputs)
      #expect(machine.handle(.stop) == [silent.contains(inputs) ? .hold : .fade])
      #expect(machine.isStopping)
      #expect(machine.handle(.faded) == [.hold, .tell(.idle)])
      #expect(!machine.isStopping)
    }
  }

  @Test("No input during a stop starts sound again")
  func stopping() {
    for input: PlayerStateMachine.Input in [
      .formatKnown, .bufferReady, .underrun, .pause, .resume, .skipped, .stop,
    ] {
      for inputs: [PlayerStateMachine.Input] in [
        [.open], [.open, .formatKnown], [.open, .formatKnown, .bufferReady],
        [.open, .formatKnown, .bufferReady, .pause],
      ] {
        var machine = machine(after: inputs + [.stop, input])
        #expect(!machine.handle(.bufferReady).contains(.play), "\(inputs), \(input)")
        #expect(machine.handle(.faded) == [.hold, .tell(.idle)])
      }
    }
  }

  @Test("A stop after the end changes nothing")
  func stopAfterEnd() {
    var machine = machine(after: [.open, .formatKnown, .bufferReady, .finished(nil)])
    #expect(machine.handle(.stop) == [])
    #expect(machine.state == .ended)
  }

  @Test("The last track's error makes the end a failure")
  func failure() {
    let error = PlayerError(
      location: "x", reason: .packetTooLarge(bytes: 1, byteOffset: 0))
    var machine = machine(after: [.open])
    #expect(machine.handle(.finished(error)) == [.hold, .tell(.failed)])
  }

  @Test("Skipping goes through buffering and keeps a pause")
  func skip() {
    var playing = machine(after: [.open, .formatKnown, .bufferReady])
    #expect(playing.handle(.skipped) == [.dropThenHold, .tell(.buffering)])
    #expect(playing.handle(.bufferReady) == [.play, .tell(.playing)])
    var paused = machine(after: [.open, .formatKnown, .bufferReady, .pause])
    #expect(paused.handle(.skipped) == [.tell(.buffering)])
    #expect(paused.handle(.bufferReady) == [.tell(.paused)])
  }
}
