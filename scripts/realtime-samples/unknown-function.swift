// SPDX-License-Identifier: MIT
// expect: library_function (not on the list

@inline(never)
func deeper() { library_function() }

func render() { deeper() }
