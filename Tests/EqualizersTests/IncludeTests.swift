// SPDX-License-Identifier: MIT

import Equalizers
import Testing

@Suite("An included file")
struct IncludeTests {
  /// Files in memory, all in one folder.
  struct Folder {
    var files: [String: String]

    func read(
      _ name: String, limits: EqualizerCurve.Limits = EqualizerCurve.Limits()
    ) -> Result<EqualizerCurve, EqualizerError> {
      do throws(EqualizerError) {
        return .success(
          try EqualizersTests.read(files[name]!, limits: limits, named: name, including: includer))
      } catch {
        return .failure(error)
      }
    }

    func problems(
      _ name: String, limits: EqualizerCurve.Limits = EqualizerCurve.Limits()
    ) -> [EqualizerProblem] {
      if case .failure(let error) = read(name, limits: limits) { error.problems } else { [] }
    }

    var includer: EqualizerIncluder {
      { [files] (name, _) throws(EqualizerIncludeFailure) in
        guard let text = files[name] else { throw EqualizerIncludeFailure("No such file") }
        return EqualizerIncludedFile(name: name, bytes: Array(text.utf8))
      }
    }
  }

  @Test("replaces its line, within the selection around it, and keeps its own selection")
  func place() throws {
    let folder = Folder(files: [
      "a": "Channel: L\nInclude: b\nPreamp: -3 dB", "b": "Preamp: -1 dB\nChannel: R\nPreamp: -2 dB",
    ])
    let steps = try folder.read("a").get().steps
    #expect(steps.map(\.line) == [1, 3, 3] && steps.map(\.file) == ["b", "b", nil])
    #expect(
      steps.map(\.selection.channels)
        == [[.position(.left)], [.position(.right)], [.position(.left)]])
  }

  @Test("that includes itself is one problem, at the line that closes the cycle")
  func cycles() {
    let folder = Folder(files: [
      "a": "Preamp: 0 dB\nInclude: a", "b": "Include: c", "c": "#\nInclude: b", "d": "\nInclude: e",
      "e": "Include: e",
    ])
    #expect(
      folder.problems("a")
        == [EqualizerProblem(.includeCycle(name: "a"), line: 2, text: "Include: a")])
    #expect(
      folder.problems("b")
        == [EqualizerProblem(.includeCycle(name: "b"), file: "c", line: 2, text: "Include: b")])
    #expect(
      folder.problems("d")
        == [EqualizerProblem(.includeCycle(name: "e"), file: "e", line: 1, text: "Include: e")])
    #expect(folder.problems("d")[0].message(inFile: "d").hasPrefix("e:1: "))
  }

  @Test("may be included again, but not without end")
  func limits() {
    var files = ["twice": "Include: leaf\nInclude: leaf", "leaf": "Preamp: -1 dB"]
    for depth in 0..<20 { files["\(depth)"] = "Include: \(depth + 1)" }
    files["many"] = String(repeating: "Include: leaf\n", count: 65)
    // Each level includes the next one nine times, so the number of includes is a power of nine.
    for depth in 0..<7 {
      files["bomb\(depth)"] = String(repeating: "Include: bomb\(depth + 1)\n", count: 9)
    }
    files["bomb7"] = "Preamp: -1 dB"
    let folder = Folder(files: files)
    #expect(folder.problems("twice").isEmpty)
    #expect(
      folder.problems("0")
        == [EqualizerProblem(.includeTooDeep(limit: 8), file: "8", line: 1, text: "Include: 9")])
    #expect(folder.problems("many").map(\.reason) == [.tooManyIncludes(limit: 64)])
    #expect(folder.problems("many").map(\.line) == [65])
    #expect(folder.problems("bomb0").count <= 100)
  }

  @Test("counts towards the limits of bytes and lines")
  func sizes() {
    let folder = Folder(files: ["a": "Include: b", "b": String(repeating: "#\n", count: 100)])
    var limits = EqualizerCurve.Limits()
    limits.lines = 50
    #expect(folder.problems("a", limits: limits).map(\.reason) == [.tooManyLines(limit: 50)])
    limits = EqualizerCurve.Limits()
    limits.bytes = 100
    #expect(folder.problems("a", limits: limits).map(\.reason) == [.tooManyBytes(limit: 100)])
  }

  @Test("that cannot be read is a problem of the line, with the reason")
  func failures() {
    let folder = Folder(files: [
      "a": "Include: none.txt", "b": "Include: c", "c": "filters:\n", "d": "Include: e", "e": "\0",
    ])
    #expect(
      folder.problems("a").map(\.reason)
        == [.includeFailed(name: "none.txt", reason: "No such file")])
    #expect(folder.problems("b").map(\.reason) == [.includeForm(.camillaDSP)])
    #expect(folder.problems("d") == [EqualizerProblem(.notText, file: "e", line: 1)])
  }
}
