// SPDX-License-Identifier: MIT
// expect: clean

@_cdecl("drawbar_rest_freewheeling")
@inline(never)
func rest() {
  library_function()
}

func process(_ frames: UInt32, _ context: UnsafeMutableRawPointer?) -> Int32 {
  drawbar_rest_freewheeling()
  render()
  return 0
}

func activate(_ client: UnsafeMutableRawPointer) {
  jack_set_process_callback(client, process, nil)
}

@inline(never)
func render() {}
