// SPDX-License-Identifier: MIT

import Glibc

/// A temporary folder in which programs make and decode files. It is removed with the value.
final class Workshop: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/packet-parser-tests.XXXXXX".utf8CString)
    let made = unsafe template.withUnsafeMutableBufferPointer { unsafe mkdtemp($0.baseAddress!) }
    guard unsafe made != nil else { throw WorkshopError.failed("mkdtemp") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    _ = unsafe system("rm -rf '\(path)'")
  }

  /// Runs a shell command in the folder; throws if it fails.
  func run(_ command: String) throws {
    let status = unsafe system("cd '\(path)' && { \(command) ; } >log 2>&1 </dev/null")
    guard status == 0 else {
      throw WorkshopError.failed(
        "\(command): \(String(decoding: (try? read("log")) ?? [], as: UTF8.self))")
    }
  }

  /// All of a file's bytes.
  func read(_ name: String) throws -> [UInt8] {
    try unsafe withFile(name, "rb") { file in
      var bytes: [UInt8] = []
      var block = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = unsafe fread(&block, 1, block.count, file)
        if count == 0 { return bytes }
        bytes.append(contentsOf: block[..<count])
      }
    }
  }

  /// Makes a file of these bytes.
  func write(_ bytes: [UInt8], _ name: String) throws {
    try unsafe withFile(name, "wb") { file in
      guard unsafe fwrite(bytes, 1, bytes.count, file) == bytes.count else {
        throw WorkshopError.failed("write \(name)")
      }
    }
  }

  private func withFile<Result>(
    _ name: String, _ mode: String, _ body: (UnsafeMutablePointer<FILE>) throws -> Result
  ) throws -> Result {
    guard let file = unsafe fopen("\(path)/\(name)", mode) else {
      throw WorkshopError.failed("open \(name)")
    }
    defer { unsafe fclose(file) }
    return try unsafe body(file)
  }

  /// Frames that mpg123 decodes a file to: with the encoder's delay trimmed or not.
  func framesByMPG123(_ name: String, gapless: Bool) throws -> Int {
    try run(
      "mpg123 -q \(gapless ? "" : "--no-gapless") --resync-limit -1 -e s16 -w decoded.wav \(name)")
    let wave = try read("decoded.wav")
    let channels = Int(wave[22])
    return (wave.count - 44) / 2 / channels
  }

  /// Packets that ffmpeg's demuxer finds.
  func packetsByFFprobe(_ name: String) throws -> Int {
    try run(
      "ffprobe -v error -count_packets -show_entries stream=nb_read_packets -of csv=p=0 \(name) >count"
    )
    return Int(String(decoding: try read("count").prefix { $0 >= 0x30 }, as: UTF8.self)) ?? -1
  }
}

enum WorkshopError: Error {
  case failed(String)
}
