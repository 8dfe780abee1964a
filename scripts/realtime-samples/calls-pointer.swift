// SPDX-License-Identifier: MIT
// expect: calls through a pointer

func render(_ body: @convention(c) (Int32) -> Int32, _ n: Int32) -> Int32 { body(n) + 1 }
