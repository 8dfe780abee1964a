// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

/// As in the root package.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatWarning("StrictMemorySafety", as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A package of its own, so that nothing of it reaches those who use the library. Build it through
/// `scripts/bench`: it needs a release build with testable imports.
let package = Package(
  name: "drawbar-benchmarks",
  products: [
    .executable(name: "drawbar-benchmarks", targets: ["DrawbarBenchmarks"])
  ],
  dependencies: [
    .package(name: "drawbar", path: "..")
  ],
  targets: [
    // The C loops that the engine is measured against. Its optimisation is fixed, so that a debug build of the
    // rest cannot flatter it.
    .target(
      name: "BarePeers", cSettings: [.unsafeFlags(["-O3"])],
      linkerSettings: [
        "mpg123", "soxr", "samplerate", "swresample", "FLAC", "opus", "avcodec", "avutil",
        "zita-convolver", "fftw3f", "stdc++",
      ].map { .linkedLibrary($0) }),
    .executableTarget(
      name: "DrawbarBenchmarks",
      dependencies: [
        "BarePeers",
        .product(name: "DrawbarParts", package: "drawbar"),
      ],
      swiftSettings: strict),
  ]
)
