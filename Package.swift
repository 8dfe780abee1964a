// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import Foundation
import PackageDescription

/// RealtimeSanitizer is not a `swift build --sanitize` choice: its runtime is linked by hand when
/// `DRAWBAR_RTSAN` names the archive. `scripts/test` sets it; a plain build never sees unsafe flags.
let realtimeSanitizer = Context.environment["DRAWBAR_RTSAN"]

/// The settings of every Swift target.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatWarning("StrictMemorySafety", as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// The tests decode hours of sound, which takes four times as long unoptimised; their own code, which is mostly
/// expectations, takes twice as long to compile optimised. So `scripts/test` builds the tested modules optimised
/// with all assertions, and the tests unoptimised; `DRAWBAR_OPTIMISED` is the number of processors.
let optimised: [SwiftSetting] =
  Context.environment["DRAWBAR_OPTIMISED"].map { processors in
    [
      .unsafeFlags([
        "-O", "-whole-module-optimization", "-disable-batch-mode", "-num-threads", processors,
        "-assert-config", "Debug",
      ])
    ]
  } ?? []

let realtimeLink: [LinkerSetting] =
  realtimeSanitizer.map { archive in
    [
      .unsafeFlags(["-Xlinker", "--whole-archive", "-Xlinker", archive]),
      .unsafeFlags(["-Xlinker", "--no-whole-archive"]),
      .linkedLibrary("stdc++"),
    ]
  } ?? []

/// An optional library: without it the package builds without the features that need it. It is not linked, as
/// the flags of pkg-config would do, but loaded when it is needed.
struct OptionalLibrary {
  /// The system library target, and the flag for Swift code.
  let target: String
  let flag: String
  /// The name of its pkg-config file.
  let module: String
  let debianPackage: String

  /// Whether pkg-config's folders have it, and `DRAWBAR_WITHOUT` (names of modules, commas between) does not.
  var isFound: Bool {
    let environment = Context.environment
    let unwanted = environment["DRAWBAR_WITHOUT"]?.split(separator: ",").map(String.init) ?? []
    if unwanted.contains(module) { return false }
    let named = ["PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR"].flatMap {
      environment[$0]?.split(separator: ":").map(String.init) ?? []
    }
    let prefixes = ["/usr", "/usr/local"].flatMap { root in
      ["lib", "lib64", "share", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"].map {
        "\(root)/\($0)/pkgconfig"
      }
    }
    return (named + prefixes).contains {
      FileManager.default.fileExists(atPath: "\($0)/\(module).pc")
    }
  }
}

/// Codec libraries for decoding in the render callback. A format without its library is refused with a message.
let callbackCodecs = [
  OptionalLibrary(
    target: "CFLAC", flag: "DRAWBAR_FLAC", module: "flac", debianPackage: "libflac-dev"),
  OptionalLibrary(
    target: "COpus", flag: "DRAWBAR_OPUS", module: "opus", debianPackage: "libopus-dev"),
].filter(\.isFound)

/// Libraries for Fourier transforms. Without one the graph has no convolver.
let transformLibraries = [
  OptionalLibrary(
    target: "CFFTW", flag: "DRAWBAR_FFTW", module: "fftw3f", debianPackage: "libfftw3-dev")
].filter(\.isFound)

/// Codec libraries for decoding ahead, on the feeder's side.
let aheadCodecs = [
  OptionalLibrary(
    target: "CAVCodec", flag: "DRAWBAR_AVCODEC", module: "libavcodec",
    debianPackage: "libavcodec-dev")
].filter(\.isFound)

/// Libraries for the session bus. Without one the program still plays, controlled only by its own terminal.
let busLibraries = [
  OptionalLibrary(
    target: "CSDBus", flag: "DRAWBAR_SDBUS", module: "libsystemd", debianPackage: "libsystemd-dev")
].filter(\.isFound)

/// Libraries that change the speed of sound and keep its pitch. Without one an AudioQueue plays at normal speed.
let timePitchLibraries = [
  OptionalLibrary(
    target: "CRubberBand", flag: "DRAWBAR_RUBBERBAND", module: "rubberband",
    debianPackage: "librubberband-dev")
].filter(\.isFound)

/// Libraries for loudness. Without one meters show peaks and RMS only.
let meterLibraries = [
  OptionalLibrary(
    target: "CEBUR128", flag: "DRAWBAR_EBUR128", module: "libebur128",
    debianPackage: "libebur128-dev")
].filter(\.isFound)

/// Libraries for session managers. Without one the program still plays, but no session manager saves or names it.
let sessionLibraries = [
  OptionalLibrary(
    target: "CLO", flag: "DRAWBAR_LIBLO", module: "liblo", debianPackage: "liblo-dev")
].filter(\.isFound)

/// The commit of the build, for `--version`.
let commit: [CSetting] =
  Context.gitInformation.map { git in
    let text = git.currentCommit.prefix(12) + (git.hasUncommittedChanges ? "+" : "")
    return [.define("DRAWBAR_COMMIT", to: "\"\(text)\"")]
  } ?? []

func library(
  _ name: String, _ dependencies: [Target.Dependency], optional: [OptionalLibrary] = [],
  settings: [SwiftSetting] = []
) -> Target {
  .target(
    name: name,
    dependencies: dependencies + optional.map { .target(name: $0.target) },
    swiftSettings: strict + optimised + settings + optional.map { .define($0.flag) })
}

func tests(
  _ name: String, _ dependencies: [Target.Dependency], settings: [SwiftSetting] = [],
  linkerSettings: [LinkerSetting] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, swiftSettings: strict + settings,
    linkerSettings: linkerSettings)
}

/// An example program. Like a user's program, its sources import `Drawbar` and `JACKRemoteIO`.
func example(_ name: String) -> Target {
  .executableTarget(
    name: name,
    // All modules imported through Drawbar are named, for the reason stated at DrawbarCLI.
    dependencies: [
      "AudioModel", "ByteSources", "Drawbar", "JACKRemoteIO", "Metering", "PacketParser",
      "PlayerEngine", "PlayerProgram", "PushQueue", "RenderCore",
    ],
    path: "Sources/Examples/\(name)", swiftSettings: strict + optimised,
    linkerSettings: realtimeLink)
}

let package = Package(
  name: "drawbar",
  products: [
    .library(name: "Drawbar", targets: ["Drawbar"]),
    .library(name: "JACKRemoteIO", targets: ["JACKRemoteIO"]),
    .library(name: "MediaControl", targets: ["MediaControl"]),
    .library(name: "SessionManagement", targets: ["SessionManagement"]),
    .library(name: "TimingReport", targets: ["TimingReport"]),
    .executable(name: "drawbar", targets: ["DrawbarCLI"]),
    .executable(name: "audio-queue-player", targets: ["AudioQueuePlayer"]),
    .executable(name: "remote-io-player", targets: ["RemoteIOPlayer"]),
    .executable(name: "vocal-remover", targets: ["VocalRemover"]),
    // The single parts, for the benchmarks.
    .library(
      name: "DrawbarParts",
      targets: ["AudioModel", "PacketDecoders", "PacketParser", "RenderCore"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0"),
  ],
  targets: [
    // Level 0: the C libraries, each with the functions that the render thread may call, and values.
    .systemLibrary(
      name: "CMPG123", pkgConfig: "libmpg123", providers: [.apt(["libmpg123-dev"])]),
    .systemLibrary(name: "CSoxr", pkgConfig: "soxr", providers: [.apt(["libsoxr-dev"])]),
    .systemLibrary(name: "CJACK", pkgConfig: "jack", providers: [.apt(["libjack-jackd2-dev"])]),
    // Loaded when needed: with the flags of pkg-config they would be linked.
    .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CCrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CDescriptors"),
    .systemLibrary(name: "CVectors"),
    .target(name: "CBuild", cSettings: commit),
    .target(name: "CFloorClient", dependencies: ["CJACK"]),
    .target(
      name: "CRealtimeScope",
      cSettings: realtimeSanitizer == nil ? [] : [.define("DRAWBAR_RTSAN")]),
    library("AudioModel", []),

    // Level 1: parsing bytes to packets, sources of bytes, decoding packets to frames.
    library("PacketParser", ["AudioModel"]),
    library("Playlists", ["AudioModel"]),
    library("Equalizers", ["AudioModel"]),
    library("ByteSources", ["AudioModel", "CCurl"]),
    library(
      "RenderCore", ["AudioModel", "CMPG123", "CSoxr", "CRealtimeScope", "CVectors"],
      optional: callbackCodecs + transformLibraries),
    library(
      "PacketDecoders", ["AudioModel"], optional: aheadCodecs,
      // For a property of type Span.
      settings: [.enableExperimentalFeature("Lifetimes")]),
    library("MediaControl", ["AudioModel"], optional: busLibraries),
    library("Metering", ["AudioModel"], optional: meterLibraries),
    library("SessionManagement", ["AudioModel", "CDescriptors"], optional: sessionLibraries),

    // Level 2: the modules that drive those of level 1.
    library(
      "PlayerEngine",
      ["AudioModel", "ByteSources", "PacketDecoders", "PacketParser", "Playlists", "RenderCore"]),
    library("AudioConversion", ["AudioModel", "PacketDecoders", "RenderCore"]),
    library(
      "OfflineOutput", ["AudioModel", "RenderCore"],
      optional: callbackCodecs.filter { $0.target == "CFLAC" }),
    .target(
      name: "TimingReport",
      dependencies: [
        "AudioModel", "RenderCore", .product(name: "Histogram", package: "hdrhistogram-swift"),
      ],
      swiftSettings: strict + optimised),
    library(
      "JACKRemoteIO", ["AudioModel", "CDescriptors", "CRealtimeScope", "RenderCore", "CJACK"]),

    // Level 3: the push model, on top of the pull engine and its converter.
    library(
      "PushQueue", ["AudioConversion", "AudioModel", "RenderCore"], optional: timePitchLibraries),

    // Level 4 and 5: the umbrella and the program.
    library(
      "Drawbar",
      [
        "AudioConversion", "AudioModel", "ByteSources", "Equalizers", "Metering", "OfflineOutput",
        "PacketDecoders", "PacketParser", "PlayerEngine", "Playlists", "PushQueue", "RenderCore",
      ]),
    .executableTarget(
      name: "DrawbarCLI",
      // All imported modules, also those through Drawbar: without a name here, the program is not compiled
      // again when such a module changes the layout of its types.
      dependencies: [
        "AudioConversion", "AudioModel", "ByteSources", "CBuild", "CCrypto", "CDescriptors",
        "CFloorClient",
        "Drawbar", "Equalizers", "JACKRemoteIO", "MediaControl", "Metering", "OfflineOutput",
        "PacketDecoders", "PacketParser",
        "PlayerEngine", "Playlists", "PushQueue", "RenderCore", "SessionManagement",
        "TimingReport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict + optimised, linkerSettings: realtimeLink),

    // The tutorials' two players, an example with its own render callback, and their common code.
    example("AudioQueuePlayer"),
    example("RemoteIOPlayer"),
    example("VocalRemover"),
    .target(
      name: "PlayerProgram", dependencies: ["AudioModel", "JACKRemoteIO", "RenderCore"],
      path: "Sources/Examples/PlayerProgram", swiftSettings: strict + optimised),

    // Tests, and their common code.
    .target(
      name: "TestKit",
      dependencies: [
        "AudioModel", "ByteSources", "CJACK", "OfflineOutput", "PacketParser", "PlayerEngine",
        "RenderCore",
      ],
      path: "Tests/TestKit", swiftSettings: strict + optimised),
    tests(
      "AudioConversionTests",
      ["AudioConversion", "AudioModel", "PacketDecoders", "PacketParser", "TestKit"]),
    tests("ByteSourcesTests", ["AudioModel", "ByteSources", "TestKit"]),
    tests(
      "JACKRemoteIOTests",
      [
        "AudioModel", "CRealtimeScope", "JACKRemoteIO", "PlayerEngine", "RenderCore", "TestKit",
        "TimingReport",
      ]),
    tests(
      "RenderCoreTests",
      [
        "AudioModel", "CRealtimeScope", "Equalizers", "OfflineOutput", "PacketParser",
        "RenderCore", "TestKit",
      ]),
    // These tests contain a model that computes hours of sound.
    tests(
      "GraphTests", ["AudioModel", "RenderCore", "TestKit"], settings: optimised),
    tests(
      "PlayerEngineTests",
      [
        "AudioModel", "ByteSources", "OfflineOutput", "PacketParser", "PlayerEngine", "Playlists",
        "RenderCore", "TestKit",
      ]),
    tests(
      "RealTimeTests",
      [
        "AudioModel", "ByteSources", "CRealtimeScope", "OfflineOutput", "PacketParser",
        "PlayerEngine", "PushQueue", "RenderCore", "TestKit",
      ],
      // All test targets are linked into one bundle, so the archive is named once.
      linkerSettings: realtimeLink),
    tests(
      "PushQueueTests",
      [
        "AudioConversion", "AudioModel", "JACKRemoteIO", "OfflineOutput", "PacketDecoders",
        "PacketParser", "PushQueue", "RenderCore", "TestKit",
      ]),
    tests("PlaylistsTests", ["Playlists"]),
    tests("EqualizersTests", ["AudioModel", "Equalizers", "TestKit"]),
    tests("MediaControlTests", ["MediaControl", "TestKit"]),
    tests("MeteringTests", ["AudioModel", "Metering"]),
    tests("SessionManagementTests", ["SessionManagement", "TestKit"]),
    tests("TimingReportTests", ["AudioModel", "RenderCore", "TimingReport"]),
    tests("PacketParserTests", ["AudioModel", "PacketParser", "TestKit"]),
    tests("PacketDecodersTests", ["AudioModel", "PacketDecoders", "PacketParser", "TestKit"]),
    // These tests read the files of scripts/corpus.
    tests("CorpusTests", ["AudioModel", "PacketParser", "PlayerEngine", "TestKit"]),
    // These tests run the built program, and need none of its code.
    tests("ProgramTests", ["TestKit"]),
  ]
    + (callbackCodecs + aheadCodecs + busLibraries + timePitchLibraries + meterLibraries
    + sessionLibraries + transformLibraries).map {
      .systemLibrary(
        name: $0.target, providers: [.apt([$0.debianPackage])])
    }
)

// A library whose allocations must end a program built with RealtimeSanitizer.
if realtimeSanitizer != nil {
  package.targets.append(.target(name: "AllocatingResampler", path: "Tests/AllocatingResampler"))
  package.products.append(
    .library(name: "AllocatingResampler", type: .dynamic, targets: ["AllocatingResampler"]))
}

// For a run of some tests, compiling the other tests and the programs would take longer than the run itself, so
// `DRAWBAR_TESTS` names the wanted targets of tests and programs (commas between), or `all` tests.
if let wanted = Context.environment["DRAWBAR_TESTS"]?.split(separator: ",").map(String.init) {
  package.targets.removeAll {
    ($0.type == .executable && !wanted.contains($0.name))
      || ($0.type == .test && wanted != ["all"] && !wanted.contains($0.name))
  }
  let names = package.targets.map(\.name)
  package.products.removeAll {
    ($0 as? Product.Executable)?.targets.allSatisfy(names.contains) == false
  }
}
