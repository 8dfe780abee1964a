// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import Foundation
import PackageDescription

/// RealtimeSanitizer is not a `swift build --sanitize` choice: its runtime is linked by hand when
/// `DRAWBAR_RTSAN` names the archive. `scripts/test` sets it; a plain build never sees unsafe flags.
let realtimeSanitizer = Context.environment["DRAWBAR_RTSAN"]

/// What every Swift target is compiled with.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatWarning("StrictMemorySafety", as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let realtimeLink: [LinkerSetting] =
  realtimeSanitizer.map { archive in
    [
      .unsafeFlags(["-Xlinker", "--whole-archive", "-Xlinker", archive]),
      .unsafeFlags(["-Xlinker", "--no-whole-archive"]),
      .linkedLibrary("stdc++"),
    ]
  } ?? []

/// A library that the package builds without, too: what needs it is then left out.
struct OptionalLibrary {
  /// The system library target, and the flag for Swift code.
  let target: String
  let flag: String
  /// The name of its pkg-config file.
  let module: String
  let debianPackage: String
  /// Linked with the program; what is not is loaded when it is needed.
  var isLinked = true

  /// Found where pkg-config looks, and not named in `DRAWBAR_WITHOUT` (names of modules, commas between).
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

/// Decoded in the render callback. Whoever wants to play what is missing is told so.
let callbackCodecs = [
  OptionalLibrary(
    target: "CFLAC", flag: "DRAWBAR_FLAC", module: "flac", debianPackage: "libflac-dev"),
  OptionalLibrary(
    target: "COpus", flag: "DRAWBAR_OPUS", module: "opus", debianPackage: "libopus-dev"),
].filter(\.isFound)

/// Decoded ahead, on the feeder's side.
let aheadCodecs = [
  OptionalLibrary(
    target: "CAVCodec", flag: "DRAWBAR_AVCODEC", module: "libavcodec",
    debianPackage: "libavcodec-dev", isLinked: false)
].filter(\.isFound)

/// The session bus. Without it the program plays all the same, and only its own terminal controls it.
let busLibraries = [
  OptionalLibrary(
    target: "CSDBus", flag: "DRAWBAR_SDBUS", module: "libsystemd", debianPackage: "libsystemd-dev",
    isLinked: false)
].filter(\.isFound)

func library(
  _ name: String, _ dependencies: [Target.Dependency], optional: [OptionalLibrary] = [],
  settings: [SwiftSetting] = []
) -> Target {
  .target(
    name: name,
    dependencies: dependencies + optional.map { .target(name: $0.target) },
    swiftSettings: strict + settings + optional.map { .define($0.flag) })
}

func tests(
  _ name: String, _ dependencies: [Target.Dependency], linkerSettings: [LinkerSetting] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, swiftSettings: strict,
    linkerSettings: linkerSettings)
}

/// The documentation's plugin is not a dependency of the library's users: `scripts/docs` asks for it.
let documentationPlugin: [Package.Dependency] =
  Context.environment["DRAWBAR_DOCC"] == nil
  ? [] : [.package(url: "https://github.com/swiftlang/swift-docc-plugin", exact: "1.5.0")]

let package = Package(
  name: "drawbar",
  products: [
    .library(name: "Drawbar", targets: ["Drawbar"]),
    .library(name: "JACKRemoteIO", targets: ["JACKRemoteIO"]),
    .library(name: "MediaControl", targets: ["MediaControl"]),
    .executable(name: "drawbar", targets: ["DrawbarCLI"]),
    // The single parts, for the benchmarks.
    .library(
      name: "DrawbarParts",
      targets: ["AudioModel", "PacketDecoders", "PacketParser", "RenderCore"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")
  ] + documentationPlugin,
  targets: [
    // Level 0: the C libraries, each with the functions that the render thread may call, and values.
    .systemLibrary(
      name: "CMPG123", pkgConfig: "libmpg123", providers: [.apt(["libmpg123-dev"])]),
    .systemLibrary(name: "CSoxr", pkgConfig: "soxr", providers: [.apt(["libsoxr-dev"])]),
    .systemLibrary(name: "CJACK", pkgConfig: "jack", providers: [.apt(["libjack-jackd2-dev"])]),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(
      name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .target(
      name: "CRealtimeScope",
      cSettings: realtimeSanitizer == nil ? [] : [.define("DRAWBAR_RTSAN")]),
    library("AudioModel", []),

    // Level 1: bytes to packets, bytes from somewhere, packets to frames.
    library("PacketParser", ["AudioModel"]),
    library("Playlists", []),
    library("ByteSources", ["AudioModel", "CCurl"]),
    library(
      "RenderCore", ["AudioModel", "CMPG123", "CSoxr", "CRealtimeScope"], optional: callbackCodecs),
    library(
      "PacketDecoders", ["AudioModel"], optional: aheadCodecs,
      // For a property that is a span.
      settings: [.enableExperimentalFeature("Lifetimes")]),
    library("MediaControl", [], optional: busLibraries),

    // Level 2: what drives them.
    library(
      "PlayerEngine",
      ["AudioModel", "ByteSources", "PacketDecoders", "PacketParser", "Playlists", "RenderCore"]),
    library("AudioConversion", ["AudioModel", "PacketDecoders", "RenderCore"]),
    library("OfflineOutput", ["AudioModel", "RenderCore"]),
    library("JACKRemoteIO", ["AudioModel", "RenderCore", "CJACK"]),

    // Level 3 and 4: the umbrella and the program.
    library(
      "Drawbar",
      [
        "AudioConversion", "AudioModel", "ByteSources", "OfflineOutput", "PacketDecoders",
        "PacketParser", "PlayerEngine", "Playlists", "RenderCore",
      ]),
    .executableTarget(
      name: "DrawbarCLI",
      // All that it imports, also through Drawbar: what is not named here is not compiled again when
      // a module below changes the layout of its types.
      dependencies: [
        "AudioConversion", "AudioModel", "ByteSources", "CCrypto", "Drawbar", "JACKRemoteIO",
        "MediaControl", "OfflineOutput", "PacketDecoders", "PacketParser", "PlayerEngine",
        "Playlists", "RenderCore",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict, linkerSettings: realtimeLink),

    // Tests, and what they share.
    .target(
      name: "TestKit",
      dependencies: ["AudioModel", "ByteSources", "OfflineOutput", "PlayerEngine", "RenderCore"],
      path: "Tests/TestKit", swiftSettings: strict),
    tests(
      "AudioConversionTests",
      ["AudioConversion", "AudioModel", "PacketDecoders", "PacketParser", "TestKit"]),
    tests("ByteSourcesTests", ["AudioModel", "ByteSources", "TestKit"]),
    tests(
      "JACKRemoteIOTests",
      ["AudioModel", "JACKRemoteIO", "PlayerEngine", "RenderCore", "TestKit"]),
    tests(
      "RenderCoreTests",
      ["AudioModel", "OfflineOutput", "PacketParser", "RenderCore", "TestKit"]),
    tests(
      "PlayerEngineTests",
      [
        "AudioModel", "ByteSources", "OfflineOutput", "PacketParser", "PlayerEngine", "Playlists",
        "RenderCore", "TestKit",
      ]),
    tests(
      "RealTimeTests",
      ["AudioModel", "CRealtimeScope", "OfflineOutput", "PlayerEngine", "RenderCore", "TestKit"],
      // All test targets are linked into one bundle, so the archive is named once.
      linkerSettings: realtimeLink),
    tests("PlaylistsTests", ["Playlists"]),
    tests("MediaControlTests", ["MediaControl", "TestKit"]),
    tests("PacketParserTests", ["AudioModel", "PacketParser", "TestKit"]),
    tests("PacketDecodersTests", ["AudioModel", "PacketDecoders", "PacketParser", "TestKit"]),
    // They read what scripts/corpus makes.
    tests("CorpusTests", ["AudioModel", "PacketParser", "PlayerEngine", "TestKit"]),
    // They run the built program, and need none of its code.
    tests("ProgramTests", ["TestKit"]),
  ]
    + (callbackCodecs + aheadCodecs + busLibraries).map {
      .systemLibrary(
        name: $0.target, pkgConfig: $0.isLinked ? $0.module : nil,
        providers: [.apt([$0.debianPackage])])
    }
)
