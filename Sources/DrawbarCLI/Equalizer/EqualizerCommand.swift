// SPDX-License-Identifier: MIT

import ArgumentParser

/// `drawbar eq`: the filters and the response of an equaliser file.
struct EqualizerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "eq",
    abstract: "Show the filters, response, peak and preamp of an equaliser file.",
    usage: "drawbar eq [<options>] [<file>]",
    discussion: """
      Reads the files that 'play --eq' reads: AutoEq, Equalizer APO, Room EQ Wizard, CamillaDSP. \
      Prints how each line was understood, the peak of each channel with and without the preamp, \
      and the response at third-octaves. Needs no JACK server.

        drawbar eq HD650.txt
        drawbar eq --preamp auto --rate 44100 HD650.txt
        drawbar eq --svg HD650.svg HD650.txt           with a plot
        drawbar eq --json HD650.txt                    for a program
        drawbar eq --filter 'HP Fc 30 Hz' HD650.txt    with another filter

      Lines that can be shown but not played, such as filters above the second order, are reported. A line \
      that cannot be read is an error: FILE:LINE and the reason, exit code 1.
      """)

  @OptionGroup
  var filter: FilterOptions

  @OptionGroup
  var gain: PreampOptions

  @Option(help: "Frames per second, 1000 to 768000.")
  var rate = 48_000

  @Option(help: "Output channels, 1 to 64.")
  var channels = 2

  @Flag(help: "Print a JSON object instead of the text.")
  var json = false

  @Option(help: ArgumentHelp("Write a plot of the response, as SVG.", valueName: "plot"))
  var svg: String?

  @Flag(help: "Replace the plot if it exists.")
  var force = false

  @Argument(help: "The equaliser file.")
  var file: String?

  func validate() throws {
    guard file != "", file != nil || !filter.filters.isEmpty else {
      throw ValidationError("eq needs the name of a file, or --filter.")
    }
    if let file { try EqualizerFile.localPath(file) }
    guard (1000...768_000).contains(rate) else {
      throw ValidationError("--rate must be 1000 to 768000.")
    }
    guard (1...64).contains(channels) else { throw ValidationError("--channels must be 1 to 64.") }
    guard svg != "", svg != "-" else { throw ValidationError("--svg needs the name of a file.") }
    guard !force || svg != nil else { throw ValidationError("--force needs --svg.") }
  }

  func run() throws {
    try Failure.reporting {
      let read = try EqualizerFile(path: file, filters: filter.steps)
      if let svg {
        let plot = WrittenFile(path: svg)
        try plot.check(isNoneOf: read.paths)
        try plot.check(replacesExisting: force)
      }
      let equalizer = Equalizer(read, preamp: gain.preamp, channels: channels)
      let sheet = try EqualizerSheet(of: equalizer, sampleRate: Double(rate))
      for warning in sheet.warnings { Failure.report("warning: \(warning)") }
      if let svg { try TimingFile(path: svg).write(sheet.plot) }
      var output = StandardOutput()
      if json {
        JSONValue.writeLines(sheet.members, to: &output)
      } else {
        output.write(sheet.text)
      }
      try output.flush()
      return true
    }
  }
}
