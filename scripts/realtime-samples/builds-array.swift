// SPDX-License-Identifier: MIT
// expect: Array._allocateBufferUninitialized

@inline(never)
func scratch(_ n: Int) -> [Float] { [Float](repeating: 0, count: n) }

func render(_ out: UnsafeMutablePointer<Float>, _ n: Int) {
  for (index, sample) in scratch(n).enumerated() { out[index] = sample }
}
