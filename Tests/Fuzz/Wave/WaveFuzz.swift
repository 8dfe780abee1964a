// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser

/// Reads the input as chunks behind the header of a RIFF WAVE, RF64, BW64 or Wave64 file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWave(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe [UInt8](UnsafeBufferPointer(start: data, count: count))
  guard input.count > 6 else { return 0 }
  let header: [UInt8]
  switch input[1] >> 6 {
  case 3:
    let riff: [UInt8] = [0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6, 0x28, 0xDB, 4, 0xC1, 0, 0]
    let wave: [UInt8] = [0xF3, 0xAC, 0xD3, 0x11, 0x8C, 0xD1, 0, 0xC0, 0x4F, 0x8E, 0xDB, 0x8A]
    header =
      [UInt8]("riff".utf8) + riff + input[2..<6] + [0, 0, 0, 0] + [UInt8]("wave".utf8) + wave
  default:
    let form = ["RIFF", "RF64", "BW64"][Int(input[1] >> 6)]
    header = [UInt8](form.utf8) + input[2..<6] + [UInt8]("WAVE".utf8)
  }
  fuzzSlicing(header + input[6...], hint: fuzzHint(input[1]), seed: UInt64(input[0]))
  return 0
}
