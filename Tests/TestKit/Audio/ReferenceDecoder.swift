// SPDX-License-Identifier: MIT

import Glibc

/// Other projects' decoders, with whose samples ours are compared.
public enum ReferenceDecoder {
  /// Returns mpg123's decode of a file, as 32-bit float with its gapless cut, interleaved.
  public static func mpg123(_ path: String) -> [Float] {
    floats("mpg123 -q -e f32 -s '\(path)'")
  }

  /// Returns the same with the encoder's delay and padding.
  public static func mpg123Uncut(_ path: String) -> [Float] {
    floats("mpg123 -q -e f32 --no-gapless -s '\(path)'")
  }

  /// Returns ffmpeg's decode of a file's first audio stream, as 32-bit float, interleaved; AC-3 with the dither that
  /// each packet's bytes seed.
  ///
  /// - Parameter decoder: the name of ffmpeg's decoder; nil for ffmpeg's choice.
  public static func ffmpeg(_ path: String, decoder: String? = nil) -> [Float] {
    let choice = decoder.map { "-c:a \($0)" } ?? ""
    return floats("ffmpeg -v error -cons_noisegen 1 \(choice) -i '\(path)' -map 0:a:0 -f f32le -")
  }

  /// Returns one number that ffprobe prints about the first stream.
  public static func ffprobe(_ path: String, _ entry: String) -> Int? {
    let text = output(
      "ffprobe -v error -select_streams a:0 -show_entries stream=\(entry) -of csv=p=0 '\(path)'")
    return Int(String(decoding: text.prefix { $0 != 10 && $0 != UInt8(ascii: ",") }, as: UTF8.self))
  }

  private static func floats(_ command: String) -> [Float] {
    let bytes = output(command)
    return unsafe bytes.withUnsafeBytes { raw in
      (0..<raw.count / 4).map { index in
        unsafe raw.loadUnaligned(fromByteOffset: 4 * index, as: Float.self)
      }
    }
  }

  /// Returns little-endian signed integers as samples with a full scale of 1.
  public static func samples(_ raw: [UInt8], bits: Int) -> [Float] {
    let bytes = bits / 8
    return (0..<raw.count / bytes).map { index in
      var value: UInt32 = 0
      for byte in 0..<bytes {
        value |= UInt32(raw[index * bytes + byte]) << UInt32(32 - bits + 8 * byte)
      }
      return Float(Int32(bitPattern: value) >> Int32(32 - bits)) / Float(UInt32(1) << (bits - 1))
    }
  }

  /// Returns a shell command's standard output.
  public static func output(_ command: String) -> [UInt8] {
    guard let pipe = unsafe popen(command, "r") else { return [] }
    defer { unsafe pclose(pipe) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe fread(&block, 1, block.count, pipe)
      if count == 0 { return bytes }
      bytes.append(contentsOf: block[..<count])
    }
  }
}

extension [[Float]] {
  /// The channels interleaved, frame by frame.
  public var interleaved: [Float] {
    guard let frames = first?.count else { return [] }
    var result: [Float] = []
    result.reserveCapacity(frames * count)
    for frame in 0..<frames {
      for channel in self { result.append(channel[frame]) }
    }
    return result
  }
}
