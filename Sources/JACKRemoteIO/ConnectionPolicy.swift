// SPDX-License-Identifier: MIT

internal import Glibc

extension RemoteIO {
  /// The ports to which the output or input ports are connected when the client starts. Connections are made
  /// once and then left to the user. A client is never connected to itself.
  public enum ConnectionPolicy: Sendable, Equatable {
    /// Connects the i-th output to the i-th physical playback port of the first client that has any; a single
    /// output to the first two. Connects the i-th input to the i-th physical capture port likewise; a single
    /// input to the first. Skips ports that monitor playback. Connects nothing under a session manager
    /// (`NSM_URL` is set), which restores the connections itself.
    case automatic
    /// Connects nothing.
    case none
    /// Connects outputs to audio input ports, or inputs to audio output ports, of one client: the port with
    /// exactly this name, else the client with exactly this name, else the first client with ports that match
    /// this POSIX extended regular expression anywhere in their full name. A single output goes to the first
    /// two ports, a single input to the first.
    case pattern(String)
    /// Connects the i-th output or input to the i-th port, and a single one to all of them. Full names or
    /// aliases.
    case ports([String])

    /// Reads a policy as written on a command line: `auto`, `none`, `PORT,PORT…` or a pattern. A
    /// comma that belongs to a name is written `\,`.
    ///
    /// - Throws: ``RemoteIOError/invalidConnection(_:_:)`` when a name is empty or the pattern is not
    ///   a regular expression.
    public init(parsing text: String) throws(RemoteIOError) {
      switch text {
      case "auto": self = .automatic
      case "none": self = .none
      default:
        let names = Self.splitAtCommas(text)
        self = names.count == 1 ? .pattern(names[0]) : .ports(names)
      }
      try validate()
    }

    func validate() throws(RemoteIOError) {
      switch self {
      case .automatic, .none: return
      case .pattern(let pattern):
        if pattern.isEmpty { throw .invalidConnection(pattern, "the pattern is empty") }
        _ = try PortPattern(pattern)
      case .ports(let names):
        if names.isEmpty { throw .invalidConnection("", "no port is named") }
        if names.contains("") {
          throw .invalidConnection(names.joined(separator: ","), "a port name is empty")
        }
      }
    }

    private static func splitAtCommas(_ text: String) -> [String] {
      var names = [""]
      var isEscaped = false
      for character in text {
        switch (isEscaped, character) {
        case (false, "\\"): isEscaped = true
        case (false, ","): names.append("")
        case (true, let character):
          // Any other escape belongs to a regular expression.
          if character != "," { names[names.count - 1].append("\\") }
          names[names.count - 1].append(character)
          isEscaped = false
        case (false, let character): names[names.count - 1].append(character)
        }
      }
      if isEscaped { names[names.count - 1].append("\\") }
      return names
    }
  }
}

/// A POSIX extended regular expression, compiled once (regex(3)). libjack does not compile it, because it
/// treats a malformed expression as one without matches.
@safe
struct PortPattern: ~Copyable {
  private let compiled: UnsafeMutablePointer<regex_t>

  init(_ pattern: String) throws(RemoteIOError) {
    let memory = UnsafeMutablePointer<regex_t>.allocate(capacity: 1)
    unsafe memory.initialize(to: regex_t())
    let result = unsafe regcomp(memory, pattern, REG_EXTENDED | REG_NOSUB)
    unsafe compiled = memory
    guard result != 0 else { return }
    var message = [CChar](repeating: 0, count: 128)
    _ = unsafe regerror(result, memory, &message, message.count)
    let why = String(
      decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    throw .invalidConnection(pattern, "not a regular expression: \(why)")
  }

  deinit {
    // Nothing is to be freed after a failed regcomp(3); its fields are still null then.
    unsafe regfree(compiled)
    unsafe compiled.deallocate()
  }

  /// Whether the expression matches somewhere in `name`.
  func matches(_ name: String) -> Bool {
    unsafe regexec(compiled, name, 0, nil, 0) == 0
  }
}
