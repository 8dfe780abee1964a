// SPDX-License-Identifier: MIT

/// An error in a file that makes it no state of this program.
package enum SessionStateError: Error, Equatable {
  /// Not JSON, from this byte on.
  case notJSON(offset: Int, String)
  /// JSON of another format.
  case foreign
  /// Written by a later version of the program.
  case unknownVersion(Int)
  /// This member is missing or invalid.
  case member(String)
}

extension SessionStateError: CustomStringConvertible {
  /// The error in words.
  package var description: String {
    switch self {
    case .notJSON(let offset, let reason): "it is not JSON (at byte \(offset): \(reason))"
    case .foreign: "it is not a state of drawbar's"
    case .unknownVersion(let version):
      "it is of version \(version), and this program reads version \(SessionState.version)"
    case .member(let name): "'\(name)' is missing or not as it must be"
    }
  }
}

extension SessionState {
  /// Parses a file's bytes. Ignores unknown members.
  package init(parsing bytes: [UInt8]) throws(SessionStateError) {
    let value: StateValue
    do throws(StateParser.Failure) {
      value = try StateParser.parse(bytes)
    } catch {
      throw .notJSON(offset: error.offset, error.message)
    }
    guard let file = StateObject(value), file["format"] == .string(Self.format) else {
      throw .foreign
    }
    let version = try file.integer("version", in: 1...Int(Int32.max))
    guard version == Self.version else { throw .unknownVersion(version) }
    arguments = try file.strings("arguments", atMost: 100_000)
    directory = try file.string("directory")
    switch try file.string("command") {
    case "play": content = .play(try PlayState(file))
    case "monitor": content = .monitor(try MonitorState(file))
    default: throw .member("command")
    }
  }
}

extension PlayState {
  fileprivate init(_ file: StateObject) throws(SessionStateError) {
    playback = try PlaybackState(file)
    volumePercent = try file.number("volumePercent", in: 0...400)
    isMuted = try file.bool("muted")
    guard let repeats = Repeat(rawValue: try file.string("repeat")) else {
      throw .member("repeat")
    }
    self.repeats = repeats
  }
}

extension PlaybackState {
  fileprivate init(_ file: StateObject) throws(SessionStateError) {
    // The most entries of a playlist.
    let values = try file.array("tracks", count: 1...100_000)
    tracks = []
    for value in values {
      guard let object = StateObject(value) else { throw .member("tracks") }
      tracks.append(try SavedTrack(object))
    }
    track = try file.integer("track", in: 0...tracks.count - 1)
    positionSeconds = try file.number("positionSeconds", in: 0...SavedTrack.longestSeconds)
    isPaused = try file.bool("paused")
  }
}

extension SavedTrack {
  fileprivate init(_ object: StateObject) throws(SessionStateError) {
    location = try object.string("location")
    guard !location.isEmpty else { throw .member("location") }
    title = try object.optional("title", StateObject.string)
    creator = try object.optional("creator", StateObject.string)
    album = try object.optional("album", StateObject.string)
    durationSeconds = try object.optional("durationSeconds") {
      (object, name) throws(SessionStateError) in
      try object.number(name, in: 0...Self.longestSeconds)
    }
  }
}

extension MonitorState {
  fileprivate init(_ file: StateObject) throws(SessionStateError) {
    let gains = -100.0...40.0
    gainDecibels = try file.number("gainDecibels", in: gains)
    isMuted = try file.bool("muted")
    pan = try file.number("pan", in: -100...100)
    highPassHertz = try file.optional("highPassHertz") {
      (object, name) throws(SessionStateError) in try object.number(name, in: 1...20000)
    }
    limitDecibels = try file.optional("limitDecibels") {
      (object, name) throws(SessionStateError) in try object.number(name, in: -60...0)
    }
    matrix = []
    for row in try file.array("matrix", count: 1...64) {
      guard case .array(let cells) = row, (1...64).contains(cells.count),
        cells.count == matrix.first?.count ?? cells.count
      else { throw .member("matrix") }
      var gainsOfRow: [Double?] = []
      for cell in cells {
        switch cell {
        case .null: gainsOfRow.append(nil)
        case .number(let gain) where gains.contains(gain): gainsOfRow.append(gain)
        default: throw .member("matrix")
        }
      }
      matrix.append(gainsOfRow)
    }
    invertedInputs = []
    for value in try file.array("inverted", count: 0...64) {
      guard case .number(let number) = value, let input = Int(exactly: number),
        (1...(matrix.first?.count ?? 0)).contains(input)
      else { throw .member("inverted") }
      invertedInputs.append(input)
    }
    with = try file.optional("with") { (object, name) throws(SessionStateError) in
      guard let playback = object[name].flatMap(StateObject.init) else { throw .member(name) }
      return try PlaybackState(playback)
    }
  }
}
