// SPDX-License-Identifier: MIT

import ArgumentParser
import Equalizers

/// The argument of `--filter`: a filter as in a line of Equalizer APO, without `Filter: ON`.
struct FilterArgument {
  /// The option's name, used in messages like a file's name.
  static let source = "--filter"

  private let operation: EqualizerStep.Operation

  /// - Throws: `ValidationError` for a text that is not one filter.
  init(_ text: String) throws {
    guard !text.contains(where: \.isNewline) else { throw Self.notOneFilter }
    let steps: [EqualizerStep]
    do throws(EqualizerError) {
      steps = try EqualizerCurve(parsing: Array("Filter: ON \(text)".utf8).span).steps
    } catch {
      throw ValidationError(error.problems[0].reason.description)
    }
    guard steps.count == 1 else { throw Self.notOneFilter }
    operation = steps[0].operation
  }

  private static let notOneFilter = ValidationError(
    "give one filter, as 'PK Fc 1000 Hz Gain -3 dB Q 1.4'")

  /// Returns the steps of several arguments, numbered like the lines of a file.
  static func steps(of arguments: [FilterArgument]) -> [EqualizerStep] {
    arguments.enumerated().map { index, argument in
      EqualizerStep(argument.operation, file: source, line: index + 1)
    }
  }
}

/// Filters of the command line.
struct FilterOptions: ParsableArguments {
  @Option(
    name: .customLong("filter"),
    help: ArgumentHelp(
      """
      A filter, as 'PK Fc 1000 Hz Gain -3 dB Q 1.4'; repeatable, in order, behind the file's. Types: PK, \
      LP, HP, BP, NO, AP, LS, HS, LSC, HSC, IIR.
      """, valueName: "filter"),
    transform: { try FilterArgument($0) })
  var filters: [FilterArgument] = []

  var steps: [EqualizerStep] { FilterArgument.steps(of: filters) }
}
