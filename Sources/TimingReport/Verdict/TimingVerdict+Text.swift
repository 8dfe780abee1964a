// SPDX-License-Identifier: MIT

extension TimingVerdict {
  /// Writes the verdict for a terminal, 80 columns wide.
  public func write(to output: inout some TextOutputStream) {
    Self.write(summary, indentation: "", to: &output)
    for finding in findings {
      Self.write("- " + finding.fact + " " + finding.remedy, indentation: "  ", to: &output)
      if let link = finding.link { output.write("  \(link)\n") }
    }
    output.write("\n")
  }

  /// Writes a paragraph in lines of up to 80 columns.
  static func write(
    _ text: String, indentation: String, to output: inout some TextOutputStream
  ) {
    var line = ""
    for word in text.split(separator: " ").map({ TimingTable.plain(String($0)) }) {
      if !line.isEmpty, line.count + 1 + word.count > 80 {
        output.write(line + "\n")
        line = indentation + word
      } else {
        line += (line.isEmpty ? "" : " ") + word
      }
    }
    output.write(line + "\n")
  }

  /// Writes the verdict into a page.
  func write(to main: inout MarkupWriter) {
    main.newLine()
    main.element("section", ["class": "verdict"]) { section in
      section.element("p", ["class": "summary"], text: summary)
      guard !findings.isEmpty else { return }
      section.element("ul") { list in
        for finding in findings {
          list.newLine()
          list.element("li") { item in
            item.text(finding.fact + " " + finding.remedy)
            guard let link = finding.link else { return }
            item.text(" ")
            item.element("a", ["href": link], text: link)
          }
        }
      }
    }
  }
}
