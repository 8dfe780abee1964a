// SPDX-License-Identifier: MIT

extension SessionState {
  /// The value of a file's `format` member.
  static let format = "drawbar session"
  /// The version of the file that is written, and the only one that is read.
  static let version = 1

  /// The file's bytes: the same for the same state.
  package var fileBytes: [UInt8] { Array(StateValue.object(members).text.utf8) }

  private var members: [StateValue.Member] {
    let (command, content) =
      switch content {
      case .play(let play): ("play", play.members)
      case .monitor(let monitor): ("monitor", monitor.members)
      }
    return [
      .init(name: "format", value: .string(Self.format)),
      .init(name: "version", value: .number(Double(Self.version))),
      .init(name: "command", value: .string(command)),
      .init(name: "arguments", value: .array(arguments.map { .string($0) })),
      .init(name: "directory", value: .string(directory)),
    ] + content
  }
}

extension PlayState {
  fileprivate var members: [StateValue.Member] {
    playback.members + [
      .init(name: "volumePercent", value: .number(volumePercent)),
      .init(name: "muted", value: .bool(isMuted)),
      .init(name: "repeat", value: .string(repeats.rawValue)),
    ]
  }
}

extension PlaybackState {
  fileprivate var members: [StateValue.Member] {
    [
      .init(name: "tracks", value: .array(tracks.map { .object($0.members) })),
      .init(name: "track", value: .number(Double(track))),
      .init(name: "positionSeconds", value: .number(positionSeconds)),
      .init(name: "paused", value: .bool(isPaused)),
    ]
  }
}

extension SavedTrack {
  fileprivate var members: [StateValue.Member] {
    let all: [(String, StateValue?)] = [
      ("location", .string(location)), ("title", title.map { .string($0) }),
      ("creator", creator.map { .string($0) }), ("album", album.map { .string($0) }),
      ("durationSeconds", durationSeconds.map { .number($0) }),
    ]
    return all.compactMap { name, value in value.map { .init(name: name, value: $0) } }
  }
}

extension MonitorState {
  fileprivate var members: [StateValue.Member] {
    func optional(_ number: Double?) -> StateValue { number.map { .number($0) } ?? .null }
    return [
      .init(name: "gainDecibels", value: .number(gainDecibels)),
      .init(name: "muted", value: .bool(isMuted)),
      .init(name: "pan", value: .number(pan)),
      .init(name: "inverted", value: .array(invertedInputs.map { .number(Double($0)) })),
      .init(name: "highPassHertz", value: optional(highPassHertz)),
      .init(name: "limitDecibels", value: optional(limitDecibels)),
      .init(name: "matrix", value: .array(matrix.map { row in .array(row.map(optional)) })),
      .init(name: "with", value: with.map { .object($0.members) } ?? .null),
    ]
  }
}
