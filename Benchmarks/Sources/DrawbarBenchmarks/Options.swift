// SPDX-License-Identifier: MIT

/// The options of the command line.
struct Options {
  static let help = """
    Usage: drawbar-benchmarks [--file FILE]... [--rounds N] [--only NAME] [--json FILE]
                              [--thresholds FILE [--check]] [--demux LONG BRIEF]...
                              [--decode FILE]... [--mix FILE]
           drawbar-benchmarks [--file FILE] [--decode FILE]... --once NAME

    Times parts of the engine against plain C loops over the same libraries and the same data, in one
    process, in turn. The times are processor time of the thread; a ratio is the engine's time over
    the C loop's in the same round, and the median over all rounds is what counts.

      --file FILE        an MP3 file; may be given more than once. Default: the fixtures
                         mp3-cbr128-44100-2.mp3 and mp3-cbr320-44100-2.mp3 in .build/fixtures
      --demux LONG BRIEF find the packets of LONG, beside `ffmpeg -c copy` and, for MP3, libmpg123's
                         scan; BRIEF is a file of the same kind with next to nothing in it, whose
                         time ffmpeg takes to start. May be given more than once
      --decode FILE      decode the packets of FILE, beside a C loop over the same library; the name
                         of the comparison is decode- and the file's without its ending
      --mix FILE         stereo floats that several sources play at once. Default: the fixture
                         wav-f32-44100-2.wav in .build/fixtures
      --rounds N         rounds that are recorded, 3 to 10000. Default: 60; a table takes
                         no more than 20
      --only NAME        only the comparisons of this name, or whose name begins with it and a hyphen.
                         `resamplers` is a table of several resamplers' quality, latency and time,
                         `most-streams` how many streams one client can play; neither is made without
                         its name
      --json FILE        write the figures there too
      --thresholds FILE  print each goal and limit beside its figure
      --check            exit 1 when a figure is beyond its limit
      --list             print the names for --only and --once
      --once NAME        run one side of one comparison and print its number of operations: for
                         counting instructions in the function countedRun with
                         valgrind --tool=callgrind. NAME is a comparison's name, or bare-NAME for
                         what it is compared with
    """

  /// A file for the demuxing comparison, and a short one of its kind.
  struct Demuxing {
    var path: String
    var briefPath: String
  }

  var files: [String] = []
  var demuxing: [Demuxing] = []
  var decoding: [String] = []
  var mixing = ".build/fixtures/wav-f32-44100-2.wav"
  var rounds = 60
  var jsonPath: String?
  var thresholdsPath: String?
  var isCheck = false
  var isList = false
  var once: String?
  var only: String?
  var isHelp = false

  init(_ arguments: [String]) throws(BenchmarkFailure) {
    var left = arguments[...]
    while let option = left.popFirst() {
      switch option {
      case "-h", "--help": isHelp = true
      case "--check": isCheck = true
      case "--list": isList = true
      case "--file": files.append(try Self.value(of: option, &left))
      case "--demux":
        let path = try Self.value(of: option, &left)
        demuxing.append(Demuxing(path: path, briefPath: try Self.value(of: option, &left)))
      case "--decode": decoding.append(try Self.value(of: option, &left))
      case "--mix": mixing = try Self.value(of: option, &left)
      case "--json": jsonPath = try Self.value(of: option, &left)
      case "--thresholds": thresholdsPath = try Self.value(of: option, &left)
      case "--only": only = try Self.value(of: option, &left)
      case "--once": once = try Self.value(of: option, &left)
      case "--rounds":
        let value = try Self.value(of: option, &left)
        guard let number = Int(value), (3...10_000).contains(number) else {
          throw BenchmarkFailure("--rounds takes a number from 3 to 10000, not \(value)")
        }
        rounds = number
      default: throw BenchmarkFailure("unknown option \(option); see --help")
      }
    }
    if isCheck, thresholdsPath == nil {
      throw BenchmarkFailure("--check needs --thresholds FILE")
    }
    if files.isEmpty {
      files = ["mp3-cbr128-44100-2.mp3", "mp3-cbr320-44100-2.mp3"].map { ".build/fixtures/" + $0 }
    }
  }

  private static func value(
    of option: String, _ left: inout ArraySlice<String>
  ) throws(BenchmarkFailure) -> String {
    guard let value = left.popFirst() else { throw BenchmarkFailure("\(option) needs a value") }
    return value
  }
}
