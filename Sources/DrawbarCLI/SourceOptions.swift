// SPDX-License-Identifier: MIT

import ArgumentParser
import ByteSources

/// The options for requests to servers, common to all commands that read.
struct SourceOptions: ParsableArguments {
  @Option(
    name: .customLong("header"),
    help: ArgumentHelp(
      "A further field of each HTTP request, such as 'Referer: http://example.org/'; repeatable.",
      valueName: "name: value"))
  var headers: [String] = []

  @Option(help: "User-Agent field of HTTP requests.")
  var userAgent = ByteSourceConfiguration().userAgent

  @Option(
    help: ArgumentHelp(
      "Limit of the time to connect, and again of the time to the first byte.",
      valueName: "seconds"))
  var timeout = Double(ByteSourceConfiguration().connectTimeoutNanoseconds) / 1e9

  func validate() throws {
    guard timeout >= 0.1, timeout <= 600 else {
      throw ValidationError("--timeout takes 0.1 to 600 seconds.")
    }
    // The field itself may contain a password, and is not shown.
    guard headers.allSatisfy({ HTTPRequestField($0) != nil }) else {
      throw ValidationError(
        "--header takes 'Name: value', and no field that the request sets itself, such as Range.")
    }
    guard HTTPRequestField(name: "User-Agent", value: userAgent) != nil else {
      throw ValidationError("--user-agent must be one line.")
    }
  }

  /// The source configuration for these options.
  var configuration: ByteSourceConfiguration {
    var configuration = ByteSourceConfiguration()
    configuration.requestFields = headers.compactMap { HTTPRequestField($0) }
    configuration.userAgent = userAgent
    configuration.connectTimeoutNanoseconds = UInt64(timeout * 1e9)
    configuration.answerTimeoutNanoseconds = UInt64(timeout * 1e9)
    return configuration
  }
}
