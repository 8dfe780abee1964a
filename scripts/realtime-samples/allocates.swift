// SPDX-License-Identifier: MIT
// expect: memory management

@inline(never)
func scratch(_ n: Int) -> UnsafeMutablePointer<Float> { .allocate(capacity: n) }

func render(_ out: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, _ n: Int) {
  out[0] = scratch(n)
}
