// SPDX-License-Identifier: MIT
// expect: a lock: lazy global

@inline(never)
func makeTable() -> UnsafeMutablePointer<Float> { .allocate(capacity: 64) }

nonisolated(unsafe) let table = makeTable()

func render(_ out: UnsafeMutablePointer<Float>) { out[0] = table[3] }
