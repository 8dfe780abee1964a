// SPDX-License-Identifier: MIT

internal import AudioModel
internal import CJACK
internal import Glibc
internal import Synchronization

/// The destination of libjack's own messages. libjack has one pair of message functions per process and calls
/// them on several threads, so this is a descriptor, not a closure.
enum LibraryMessages {
  static let descriptor = Atomic<Int32>(-1)
  /// The number of callers that poll for a server.
  private static let lookers = Atomic<Int>(0)

  /// Runs `look`, dropping libjack's messages meanwhile.
  static func silenced<Result>(_ look: () -> Result) -> Result {
    lookers.add(1, ordering: .relaxed)
    defer { lookers.subtract(1, ordering: .relaxed) }
    return look()
  }

  /// Whether a complaint of libdb was reported.
  static let hasToldOfDatabase = Atomic<Bool>(false)

  /// Captures the lines that libdb, which stores jack2's metadata, writes to stdio's `stderr`; nothing else
  /// keeps them out of a program's output. Once per process.
  static let takeDatabaseLines: Void = { _ = unsafe cjack_redirect_stderr(takeStandardError) }()

  static var isSilenced: Bool { lookers.load(ordering: .relaxed) > 0 }

  /// Captures libjack's messages: it prints several lines when a server is merely not running. Call it before
  /// opening a client.
  static func install() {
    unsafe jack_set_error_function(takeLibraryMessage)
    unsafe jack_set_info_function(takeLibraryMessage)
  }
}

extension RemoteIO {
  /// The file descriptor to which libjack's own messages are written, one line each, beginning with `jack: `;
  /// nil, the default, drops them. One setting per process. Any thread.
  ///
  /// Setting it, even to nil, also captures the lines of libdb, which stores jack2's metadata. They are written
  /// to the same descriptor; without one, the first of them is printed on standard error as one line with the
  /// remedy. For this, stdio's `stderr` is replaced by a stream that passes all other output to descriptor 2.
  public static var libraryMessageDescriptor: Int32? {
    get {
      let descriptor = LibraryMessages.descriptor.load(ordering: .relaxed)
      return descriptor < 0 ? nil : descriptor
    }
    set {
      LibraryMessages.takeDatabaseLines
      LibraryMessages.descriptor.store(newValue ?? -1, ordering: .relaxed)
    }
  }
}

private func takeLibraryMessage(_ message: UnsafePointer<CChar>?) {
  let descriptor = LibraryMessages.descriptor.load(ordering: .relaxed)
  guard descriptor >= 0, !LibraryMessages.isSilenced, let message = unsafe message else { return }
  var line = unsafe String(cString: message)
  if line.hasSuffix("\n") { line.removeLast() }
  var text = "jack: \(line.asMessage)\n"
  // One write, so that lines of several threads do not mix. A message that cannot be written is dropped: there
  // is nowhere to report it.
  _ = text.withUTF8 { unsafe write(descriptor, $0.baseAddress, $0.count) }
}

/// Handles text written to stdio's `stderr`, a line or more.
private func takeStandardError(
  _: UnsafeMutableRawPointer?, _ bytes: UnsafePointer<CChar>?, _ count: Int
) -> Int {
  let text = unsafe String(
    decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  // libdb numbers its messages.
  guard text.hasPrefix("BDB"), text.dropFirst(3).prefix(4).allSatisfy(\.isNumber) else {
    return unsafe write(STDERR_FILENO, bytes, count)
  }
  let descriptor = LibraryMessages.descriptor.load(ordering: .relaxed)
  var line: String
  if descriptor >= 0 {
    line = "jack: " + text
  } else if LibraryMessages.hasToldOfDatabase.exchange(true, ordering: .relaxed) {
    return count
  } else {
    let message = text.prefix { !$0.isNewline }
    line =
      "warning: JACK's store of metadata does not work (\(message)), so ports have no names for people: end all "
      + "JACK programs, and remove \(MetadataStore.ofUser.path)\n"
    line = unsafe String(cString: cjack_program_name()) + ": " + line
  }
  _ = line.withUTF8 {
    unsafe write(descriptor >= 0 ? descriptor : STDERR_FILENO, $0.baseAddress, $0.count)
  }
  return count
}
