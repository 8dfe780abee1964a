// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser

/// Reads the input as chunks behind a RIFF WAVE header.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWave(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe [UInt8](UnsafeBufferPointer(start: data, count: count))
  guard input.count > 6 else { return 0 }
  let stream = [UInt8]("RIFF".utf8) + input[2..<6] + [UInt8]("WAVE".utf8) + input[6...]
  fuzzSlicing(stream, hint: fuzzHint(input[1]), seed: UInt64(input[0]))
  return 0
}
