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
  /// `jack: `; nil, the default, drops them. One setting for the process. Any thread.
  public static var libraryMessageDescriptor: Int32? {
    get {
      let descriptor = LibraryMessages.descriptor.load(ordering: .relaxed)
      return descriptor < 0 ? nil : descriptor
    }
    set { LibraryMessages.descriptor.store(newValue ?? -1, ordering: .relaxed) }
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
