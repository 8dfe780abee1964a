// SPDX-License-Identifier: MIT
// expect: library_function (not on the list

func process(_ frames: UInt32, _ context: UnsafeMutableRawPointer?) -> Int32 {
  library_function()
  return 0
}

func activate(_ client: UnsafeMutableRawPointer) {
  jack_set_process_callback(client, process, nil)
}

func render() {}
