// SPDX-License-Identifier: MIT

import AudioModel
import Equalizers

/// Reads the input as an equaliser that may include itself under other names. The result is bounded, each problem
/// has an existing line, a line has at most one problem, and every design is finite.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEqualizer(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe [UInt8](UnsafeBufferPointer(start: data, count: count))
  var limits = EqualizerCurve.Limits()
  limits.steps = 50
  limits.problems = 20
  limits.graphicPoints = 100
  limits.includedFiles = 4
  limits.includeDepth = 3
  let includer: EqualizerIncluder = { (name, _) throws(EqualizerIncludeFailure) in
    if name.utf8.count % 3 == 0 { throw EqualizerIncludeFailure(name) }
    return EqualizerIncludedFile(name: name, bytes: Array(input.dropFirst(input.count / 2)))
  }
  do throws(EqualizerError) {
    let curve = try EqualizerCurve(
      parsing: input.span, named: "input", limits: limits, including: includer)
    check(curve, count)
  } catch {
    check(error, count)
  }
  return 0
}

private func check(_ error: EqualizerError, _ count: Int) {
  precondition((1...20).contains(error.problems.count))
  precondition(error.problems.count == 20 || error.unlistedProblemCount == 0)
  var lines = Set<String>()
  for problem in error.problems {
    precondition(problem.line >= 1 && problem.line <= count + 1, "no such line")
    precondition(problem.text.unicodeScalars.count <= 120)
    let message = problem.message(inFile: "input")
    precondition(!message.isEmpty && message.unicodeScalars.count <= 1000)
    precondition(!message.unicodeScalars.contains { $0.value < 0x20 }, "steers a terminal")
    // A file may be included more than once.
    if problem.file == nil {
      precondition(lines.insert("\(problem.line)").inserted, "two problems in a line")
    }
  }
}

private func check(_ curve: EqualizerCurve, _ count: Int) {
  precondition(curve.steps.count <= 50)
  for step in curve.steps {
    precondition(step.line >= 1 && step.line <= count + 1, "no such line")
    switch step.operation {
    case .preamp(let gain): precondition(abs(gain) <= 120)
    case .filter(let filter):
      precondition(filter.kind.hasGain || filter.gainDecibels == 0)
      precondition(filter.kind.isFirstOrder == (filter.width == nil))
    case .transferFunction(let function): precondition((1...16).contains(function.order))
    case .graphic(let graphic): precondition((1...100).contains(graphic.points.count))
    case .delayMilliseconds(let delay), .delayFrames(let delay): precondition(delay >= 0)
    case .copy(let assignments): precondition((1...64).contains(assignments.count))
    case .convolution(let name): precondition(!name.isEmpty)
    }
  }
  for (rate, layout) in [
    (48_000.0, EqualizerLayout.stereo), (8000, EqualizerLayout(channelCount: 6)),
  ] {
    do throws(EqualizerError) {
      check(try curve.design(sampleRate: rate, layout: layout))
      check(try curve.stages(sampleRate: rate, layout: layout), rate)
    } catch {
      precondition(!error.problems.isEmpty && error.problems.allSatisfy { $0.line >= 1 })
    }
  }
}

private func check(_ stages: [EqualizerStage], _ rate: Double) {
  precondition((1...51).contains(stages.count) && stages.last?.gains == nil)
  for stage in stages {
    let count = stage.sections.count
    precondition(stage.delayFrames.count == count)
    precondition(stage.delayFrames.allSatisfy { $0 >= 0 && Double($0) <= rate + 0.5 })
    precondition(stage.sections.allSatisfy { $0.allSatisfy(\.isFinite) })
    for row in stage.gains ?? [] {
      precondition(row.count == count && row.allSatisfy { $0.magnitude <= 100 })
    }
  }
}

private func check(_ design: EqualizerDesign) {
  precondition(design.steps.count <= 50)
  for step in design.steps {
    precondition(step.channels.allSatisfy { (0..<design.channelCount).contains($0) })
    switch step.operation {
    case .biquad(let section): precondition(section.isFinite)
    case .mix(let rows):
      for row in rows {
        precondition((0..<design.channelCount).contains(row.target))
        precondition(row.summands.allSatisfy { (0..<design.channelCount).contains($0.source) })
      }
    default: break
    }
  }
  for frequency in [0.0, 20, 1000, design.sampleRate / 2] {
    let response = design.response(atHertz: frequency, from: 0, to: 1)
    precondition(!response.gainDecibels.isNaN && !response.phaseRadians.isNaN)
  }
  // The search for the peak is slow, so it is tried on few steps only.
  if design.steps.count <= 3 {
    let preamp = design.automaticPreampDecibels()
    precondition(preamp.isFinite && preamp <= 0)
  }
}
