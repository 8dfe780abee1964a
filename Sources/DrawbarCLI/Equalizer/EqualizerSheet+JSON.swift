// SPDX-License-Identifier: MIT

import Equalizers

extension EqualizerSheet {
  /// The facts for programs. Stable: the names and their order do not change between releases; new ones may be added.
  var members: [(String, JSONValue)] {
    let filters = Self.array(steps) { value(of: $0) }
    let channels = Self.array(channelNames.indices) { value(ofChannel: $0) }
    let unplayable = Self.array(refusals) { value(of: $0) }
    return [
      ("file", file.path.map { .string($0) } ?? .null),
      ("form", .string(file.curve.form.rawValue)),
      ("sampleRate", .number(sampleRate)),
      ("preampDecibels", .number(preamp.decibels)),
      ("preampSource", .string(preamp.source.rawValue)),
      ("automaticPreampDecibels", .number(automaticPreampDecibels)),
      ("filters", filters),
      ("channels", channels),
      ("unplayable", unplayable),
      ("warnings", Self.array(warnings) { .string($0) }),
    ]
  }

  private static func array<Element>(
    _ elements: some Sequence<Element>, _ value: (Element) -> JSONValue
  ) -> JSONValue {
    .array(AnySequence(elements.map(value)))
  }

  private func value(ofChannel channel: Int) -> JSONValue {
    // Each channel is in one group.
    let group = groups.first { $0.channels.contains(channel) }
    return .object([
      ("name", .string(channelNames[channel])),
      ("peakDecibels", .optional(group?.peak.gainDecibels)),
      ("peakHertz", .optional(group?.peak.frequencyHertz)),
      ("delayMilliseconds", .optional(group?.delayMilliseconds)),
      ("response", Self.array(group?.response ?? []) { value(of: $0) }),
    ])
  }

  private func value(of point: Point) -> JSONValue {
    .object([
      ("hertz", .number(point.hertz)), ("decibels", .number(point.decibels)),
      ("phaseRadians", .optional(point.phaseRadians)),
    ])
  }

  private func value(of refusal: Refusal) -> JSONValue {
    .object([
      ("file", .optional(refusal.problem?.file)),
      ("line", .optional(refusal.problem.map { Int64($0.line) })),
      ("reason", .string(refusal.reason)),
    ])
  }

  private func value(of step: EqualizerStep) -> JSONValue {
    var filter: EqualizerFilter?
    if case .filter(let known) = step.operation { filter = known }
    var (quality, octaves, slope): (Double?, Double?, Double?) = (nil, nil, nil)
    switch filter?.width {
    case .quality(let value): quality = value
    case .bandwidthOctaves(let value): octaves = value
    case .slopeDecibelsPerOctave(let value): slope = value
    case nil: break
    }
    let members: [(String, JSONValue)] = [
      ("file", .optional(step.file)),
      ("line", .integer(Int64(step.line))),
      ("channels", Self.array(step.affectedChannels) { .string($0) }),
      ("type", .string(step.operation.identifier)),
      ("frequencyHertz", .optional(filter?.frequencyHertz)),
      ("gainDecibels", .optional(step.gainDecibels)),
      ("q", .optional(quality)),
      ("bandwidthOctaves", .optional(octaves)),
      ("slopeDecibelsPerOctave", .optional(slope)),
      ("leftOut", .bool(isLeftOut(step))),
    ]
    return .object(members + Self.details(of: step.operation))
  }

  /// Returns the members that only some types have.
  private static func details(of operation: EqualizerStep.Operation) -> [(String, JSONValue)] {
    switch operation {
    case .preamp, .filter: []
    case .transferFunction(let function):
      [
        ("numerator", array(function.numerator) { .number($0) }),
        ("denominator", array(function.denominator) { .number($0) }),
      ]
    case .graphic(let curve):
      [
        (
          "points",
          array(curve.points) { point in
            .object([
              ("hertz", .number(point.frequencyHertz)), ("decibels", .number(point.gainDecibels)),
            ])
          }
        )
      ]
    case .delayMilliseconds(let delay): [("milliseconds", .number(delay))]
    case .delayFrames(let frames): [("frames", .number(frames))]
    case .copy(let assignments):
      [("assignments", array(assignments) { .string($0.text) })]
    case .convolution(let name): [("name", .string(name))]
    }
  }
}

extension EqualizerStep {
  /// The names of the channels that the step applies to, or that a `Copy:` assigns.
  var affectedChannels: [String] {
    if case .copy(let assignments) = operation { return assignments.map(\.target.description) }
    return (selection.includesOutputs ? ["all"] : []) + selection.channels.map(\.description)
  }

  /// nil for a step without a gain.
  fileprivate var gainDecibels: Double? {
    switch operation {
    case .preamp(let gain): gain
    case .filter(let filter): filter.kind.hasGain ? filter.gainDecibels : nil
    default: nil
    }
  }
}

extension EqualizerStep.Operation {
  var identifier: String {
    switch self {
    case .preamp: "preamp"
    case .filter(let filter): filter.kind.rawValue
    case .transferFunction: "coefficients"
    case .graphic: "graphic"
    case .delayMilliseconds, .delayFrames: "delay"
    case .copy: "copy"
    case .convolution: "convolution"
    }
  }
}

extension ChannelAssignment {
  /// The assignment in a file's syntax: `L=0.5*L+0.5*R`.
  var text: String {
    let sum = summands.map { summand in
      summand.factor == 1 ? "\(summand.source)" : "\(summand.factor)*\(summand.source)"
    }
    return "\(target)=" + (sum.isEmpty ? "0" : sum.joined(separator: "+"))
  }
}
