// SPDX-License-Identifier: MIT

import Testing

/// The real program, on a real JACK server. The tests run one by one, because they share the server's
/// name and measure time and memory.
@Suite("The program", .serialized)
enum ProgramTests {}
