// SPDX-License-Identifier: MIT

internal import AudioModel
internal import CJACK
internal import Glibc
internal import Synchronization

/// Where libjack's own messages go. libjack's two message functions are one pair for the process and
/// are called on several of its threads, so this is a descriptor and no closure.
enum LibraryMessages {
  static let descriptor = Atomic<Int32>(-1)
  /// How many are looking for a server that may not be there, again and again.
  private static let lookers = Atomic<Int>(0)

  /// Drops the messages while a server is looked for.
  static func silenced<Result>(_ look: () -> Result) -> Result {
    lookers.add(1, ordering: .relaxed)
    defer { lookers.subtract(1, ordering: .relaxed) }
    return look()
  }

  /// libdb has complained, and that was told.
  static let hasToldOfDatabase = Atomic<Bool>(false)

  /// Takes over the lines that libdb, in which jack2 keeps its metadata, writes to stdio's `stderr`: nothing else
  /// can keep them off a program's lines. Once for the process.
  static let takeDatabaseLines: Void = { _ = unsafe cjack_redirect_stderr(takeStandardError) }()

  static var isSilenced: Bool { lookers.load(ordering: .relaxed) > 0 }

  /// Takes the messages over from libjack, which prints several lines for a server that is merely
  /// not there. Must come before the open.
  static func install() {
    unsafe jack_set_error_function(takeLibraryMessage)
    unsafe jack_set_info_function(takeLibraryMessage)
  }
}

extension RemoteIO {
  /// The file descriptor that libjack's own messages are written to, a line each, beginning with
  /// `jack: `; nil drops them, as is done by default. One setting for the process. Any thread.
  ///
  /// Setting it, to nil too, takes over the lines of libdb, in which jack2 keeps its metadata: they go here as well,
  /// and where there is no descriptor the first of them becomes one line on standard error with the remedy. For
  /// that, stdio's `stderr` is another stream from then on. It passes on all else to descriptor 2.
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
  // One write, so that lines of several threads do not mix. A message that cannot be written is
  // dropped: there is nowhere to say so.
  _ = text.withUTF8 { unsafe write(descriptor, $0.baseAddress, $0.count) }
}

/// What is written to stdio's `stderr`, a line or more.
private func takeStandardError(
  _: UnsafeMutableRawPointer?, _ bytes: UnsafePointer<CChar>?, _ count: Int
) -> Int {
  let text = unsafe String(
    decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  // libdb's messages have a number each.
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
