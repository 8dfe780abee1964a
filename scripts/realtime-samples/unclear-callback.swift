// SPDX-License-Identifier: MIT
// expect: cannot determine which function

func activate(_ client: UnsafeMutableRawPointer, _ callback: process_callback) {
  jack_set_process_callback(client, callback, nil)
}

func render() {}
