// SPDX-License-Identifier: MIT

/// The definitions of a report's terms: figures with other definitions cannot be compared.
enum TimingDefinitions {
  /// Terms and their meanings.
  static let definitions: [(word: String, meaning: String)] = [
    (
      "Period",
      "The time of a cycle: its frames by the server's frames per second. Also the time between deadlines."
    ),
    (
      "Lateness",
      """
      From the ideal start of a cycle to the callback's entry. The ideal start is fitted to the server's \
      earliest cycles of the last two seconds; the server's smoothed clock is not used.
      """
    ),
    (
      "Wake-up",
      "The part of the lateness from the server's start of the cycle to the callback's entry, to one frame."
    ),
    ("Duration", "From the callback's entry to its end, including waiting and preemption."),
    (
      "Headroom",
      """
      From the callback's end to the ideal start of the next cycle; 0 if the callback ended later than that.
      """
    ),
    (
      "DSP load",
      """
      The sum of durations divided by the sum of periods. The server's own figure differs: it covers the \
      time from the cycle's start to the end of the last client.
      """
    ),
    (
      "Missed cycles",
      """
      Cycles that the server ran without this client, counted by jumps of its frame clock. A callback that \
      hangs causes one long duration and many missed cycles; percentiles alone would hide them.
      """
    ),
    (
      "Xrun",
      "The server's report to all clients that a client or the server was late. It does not name the client."
    ),
    (
      "Bad cycle",
      """
      A cycle that ended after its deadline, that the server did not wait for, that had nothing to play, or \
      for which the server reported an xrun. Each incident counts once.
      """
    ),
    (
      "Overrun",
      "Time by which a cycle exceeded its deadline, or the length of the cycles that were missed."
    ),
    ("Woken late", "The server was in time, and the kernel started the callback's thread late."),
    ("Over budget", "The callback took too long without losing its processor."),
    (
      "Preempted",
      """
      The callback took too long because it lost its processor: to another thread, or to another machine on \
      the same host.
      """
    ),
    ("Starved", "There was nothing to play: reading, parsing or decoding ahead was too slow."),
    ("Server", "The server itself was late, or reported an xrun while this client was in time."),
    (
      "Percentile",
      """
      p99: 99 of 100 cycles are at or below this value (for headroom: at or above), to a thousandth of it. \
      With fewer than 100\u{A0}000 cycles, 99.99\u{A0}% rests on fewer than ten cycles.
      """
    ),
  ]

  /// Writes the definitions as a list.
  static func write(to writer: inout MarkupWriter) {
    writer.newLine()
    writer.element("section", ["class": "definitions"]) { section in
      section.element("h2", text: "Definitions")
      section.element("dl") { list in
        for (word, meaning) in definitions {
          list.element("dt", text: word)
          list.element("dd", text: meaning)
        }
      }
    }
  }
}
