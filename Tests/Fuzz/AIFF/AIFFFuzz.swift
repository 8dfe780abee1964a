// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser

/// Reads the input as chunks behind the header of an AIFF or AIFF-C file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAIFF(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe [UInt8](UnsafeBufferPointer(start: data, count: count))
  guard input.count > 6 else { return 0 }
  let form = input[1] & 0x80 == 0 ? "AIFF" : "AIFC"
  let stream = [UInt8]("FORM".utf8) + input[2..<6] + [UInt8](form.utf8) + input[6...]
  fuzzSlicing(stream, hint: fuzzHint(input[1]), seed: UInt64(input[0]))
  return 0
}
