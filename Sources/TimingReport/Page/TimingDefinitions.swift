// SPDX-License-Identifier: MIT

/// What the words of a report mean: figures that are defined otherwise elsewhere cannot be compared.
enum TimingDefinitions {
  /// Words, and what they mean.
  static let definitions: [(word: String, meaning: String)] = [
    (
      "Period",
      "The time of a cycle: its frames by the server's frames per second. Also the time between deadlines."
    ),
    (
      "Lateness",
      """
      From the time at which a cycle should have begun to the callback's entry. The time at which it should \
      have begun is the grid of the server's best cycles of the last two seconds, not what the server's \
      smoothed clock says.
      """
    ),
    (
      "Wake-up",
      "Of the lateness, the part from the server's beginning of the cycle to the callback's entry, to a frame."
    ),
    ("Duration", "From the callback's entry to its end, waiting and lost processor included."),
    (
      "Headroom",
      """
      What is left from the callback's end to the time at which the next cycle should begin; 0 when the \
      callback ended later than that.
      """
    ),
    (
      "DSP load",
      """
      All durations over all periods. The server's own figure is another one: it counts from the cycle's \
      start to the end of the last client.
      """
    ),
    (
      "Missed cycles",
      """
      Cycles that the server went on without this client, by the jumps of its frame clock. A callback that \
      hangs makes one long duration and many missed cycles: percentiles alone would hide them.
      """
    ),
    (
      "Xrun",
      "What the server tells all its clients when any of them, or itself, was late. It names nobody."
    ),
    (
      "Bad cycle",
      """
      A cycle that ended after its deadline, that the server did not wait for, that had nothing to play, or \
      that an xrun was told of. One mishap is one bad cycle.
      """
    ),
    (
      "Overrun",
      "How long after its deadline a cycle ended, or how long the cycles were that did not come at all."
    ),
    ("Woken late", "The server was in time, and the callback's thread ran late."),
    ("Over budget", "The callback took too long, and had its processor all the time."),
    (
      "Preempted",
      """
      The callback took too long, and lost its processor meanwhile: to another thread, or to others on the \
      machine's host.
      """
    ),
    ("Starved", "There was nothing to play: what reads, parses or decodes ahead was behind."),
    ("Server", "The server itself was late, or told of an xrun while this client was in time."),
    (
      "Percentile",
      """
      The value that so many of a hundred cycles do not exceed, to a thousandth of it. With fewer than \
      100\u{A0}000 cycles the value at 99.99\u{A0}% rests on fewer than ten of them.
      """
    ),
  ]

  /// Writes them as a list.
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
