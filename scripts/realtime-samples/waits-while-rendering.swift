// SPDX-License-Identifier: MIT
// expect: a wait (drawbar_rest_freewheeling) within the render entry

@_cdecl("drawbar_rest_freewheeling")
@inline(never)
func rest() {
  library_function()
}

func render() {
  drawbar_rest_freewheeling()
}
