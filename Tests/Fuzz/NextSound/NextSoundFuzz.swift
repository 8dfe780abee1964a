// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser

/// Reads the input as the bytes behind the signature of a NeXT/Sun sound file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNextSound(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe [UInt8](UnsafeBufferPointer(start: data, count: count))
  guard input.count > 2 else { return 0 }
  fuzzSlicing(
    [UInt8](".snd".utf8) + input[2...], hint: fuzzHint(input[1]), seed: UInt64(input[0]))
  return 0
}
