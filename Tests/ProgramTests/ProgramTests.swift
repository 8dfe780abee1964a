// SPDX-License-Identifier: MIT

import Testing

/// The real program, on a real JACK server. One after the other: they share the server's name, and
/// measure time and memory.
@Suite("The program", .serialized)
enum ProgramTests {}
