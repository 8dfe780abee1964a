// SPDX-License-Identifier: MIT

import JACKRemoteIO
import Testing

@Suite("A connection policy as written on a command line")
struct ConnectionPolicyTests {
  typealias Policy = RemoteIO.ConnectionPolicy

  @Test(
    "is a word, a pattern, or ports between commas",
    arguments: [
      ("auto", Policy.automatic),
      ("none", .none),
      ("system", .pattern("system")),
      ("system:playback_[34]", .pattern("system:playback_[34]")),
      ("a:in_1,b:in 2", .ports(["a:in_1", "b:in 2"])),
      (#"HDA\, PCH:playback_FL,b:in"#, .ports(["HDA, PCH:playback_FL", "b:in"])),
      (#"playback_1\,2"#, .pattern("playback_1,2")),
      (#"a\.b:in"#, .pattern(#"a\.b:in"#)),
      ("Überton:左", .pattern("Überton:左")),
    ])
  func parses(_ text: String, _ policy: Policy) throws {
    #expect(try Policy(parsing: text) == policy)
  }

  @Test(
    "is refused with a reason if it names nothing or is not a regular expression",
    arguments: ["", ",", "a,", ",b", "a,,b", "system:(", "[", #"a\"#])
  func refuses(_ text: String) {
    #expect {
      try Policy(parsing: text)
    } throws: { error in
      if case RemoteIOError.invalidConnection = error { true } else { false }
    }
  }
}
