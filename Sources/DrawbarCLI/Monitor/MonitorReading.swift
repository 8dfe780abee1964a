// SPDX-License-Identifier: MIT

import AudioModel
import JACKRemoteIO
import PlayerEngine
import RenderCore

/// The values that a monitor shows at one moment.
struct MonitorReading {
  /// Seconds since the monitor began.
  var seconds: Double
  var levels: MonitorLevels
  /// Nil if loudness is not measured.
  var loudness: Loudness?
  var settings: MonitorSettings
  var xruns: UInt64
  var missedCycles: UInt64
  /// Samples that were NaN or infinite, and were replaced with silence.
  var nonFiniteSamples: UInt64
  var player: PlayerSnapshot?
  var recording: CaptureRecorder.Status?

  /// The line that `--json` writes for the reading.
  var json: JSONValue {
    var members: [(String, JSONValue)] = [
      ("type", .string("meters")), ("seconds", .number((seconds * 1000).rounded() / 1000)),
      ("inputs", Self.json(levels.inputs)), ("outputs", Self.json(levels.outputs)),
      ("gainDecibels", Self.json(Decibels.value(settings.gain))),
      ("muted", .bool(settings.isMuted)),
      ("limiterDecibels", Self.json(Decibels.value(levels.limiterGain))),
      ("momentaryLUFS", Self.json(loudness?.momentary)),
      ("shortTermLUFS", Self.json(loudness?.shortTerm)),
      ("integratedLUFS", Self.json(loudness?.integrated)),
      ("xruns", .integer(Int64(xruns))), ("missedCycles", .integer(Int64(missedCycles))),
      ("nonFiniteSamples", .integer(Int64(nonFiniteSamples))),
    ]
    if let player {
      members.append(
        (
          "with",
          .object([
            ("state", .string(player.state.rawValue)),
            ("track", .optional(player.trackIndex.map { Int64($0 + 1) })),
            ("positionSeconds", .number(Double(player.positionNanoseconds) / 1e9)),
            ("underruns", .integer(Int64(player.counters.underruns))),
          ])
        ))
    }
    if let recording {
      members.append(
        (
          "recording",
          .object([
            ("frames", .integer(Int64(recording.frames))),
            ("overruns", .integer(Int64(recording.overruns))),
            ("overrunFrames", .integer(Int64(recording.overrunFrames))),
            ("missedFrames", .integer(Int64(recording.missedFrames))),
          ])
        ))
    }
    return .object(members)
  }

  /// Returns the line that `--json` writes when the monitor begins.
  ///
  /// - Parameters:
  ///   - effects: the effects, for people.
  ///   - latencyFrames: the frames by which the effects delay the sound.
  static func json(
    of output: RemoteIO, _ report: RemoteIO.ConnectionReport, effects: [String?], latencyFrames: Int
  ) -> JSONValue {
    let scheduling = output.scheduling
    return .object([
      ("type", .string("started")), ("client", .string(output.clientName)),
      ("server", .string(output.serverName)),
      ("sampleRate", .integer(Int64(output.sampleRate))),
      ("period", .integer(Int64(output.bufferSize))),
      ("scheduling", .optional(scheduling?.text)),
      ("realtime", scheduling.map { .bool($0.isRealtime) } ?? .null),
      ("freewheeling", .bool(report.isServerFreewheeling || output.isFreewheeling)),
      (
        "connections",
        .array(
          AnySequence(
            report.connections.map {
              .object([("output", .string($0.output)), ("input", .string($0.input))])
            }))
      ),
      ("effects", .array(AnySequence(effects.compactMap(\.self).map { .string($0) }))),
      ("latencyFrames", .integer(Int64(latencyFrames))),
      ("notes", .array(AnySequence(report.notes.map { .string($0) }))),
    ])
  }

  /// Returns the line that `--json` writes when a recording ends early because its file cannot be written.
  static func json(
    recordingFailed reason: String, path: String, _ status: CaptureRecorder.Status
  ) -> JSONValue {
    .object([
      ("type", .string("recordingFailed")), ("path", .string(path)),
      ("frames", .integer(Int64(status.frames))),
      ("seconds", .number(Double(status.frames) / Double(max(1, status.sampleRate)))),
      ("reason", .string(reason)),
    ])
  }

  private static func json(_ levels: [MonitorLevel]) -> JSONValue {
    .array(
      AnySequence(
        levels.map {
          .object([
            ("peakDecibels", json(Decibels.value($0.peak))),
            ("rmsDecibels", json(Decibels.value($0.rootMeanSquare))),
          ])
        }))
  }

  /// Rounds a value to hundredths.
  private static func json(_ value: Double?) -> JSONValue {
    .optional(value.map { ($0 * 100).rounded() / 100 })
  }
}
