// SPDX-License-Identifier: MIT

import AudioModel
import ByteSources
import Glibc
import TestKit
import Testing

@Suite("A file as a byte source")
struct FileByteSourceTests {
  let directory = TemporaryDirectory()

  @Test("a file is read whole, in reads of any size", arguments: [1, 7, 4096, 1 << 20])
  func whole(pieceSize: Int) throws {
    let body = Pattern.body(10_000)
    let source = try openByteSource(directory.file("a.mp3", body))
    let (bytes, error) = source.readAll(pieceSize)
    #expect(error == nil)
    #expect(bytes == body)
    #expect(try source.read().answer == .end)
  }

  @Test("a file's size, name and type hint are known when it is open")
  func information() throws {
    let path = directory.file("A song.WAV", [1, 2, 3])
    let information = try openByteSource(path).information
    #expect(
      information
        == ByteSourceInformation(
          name: path, byteCount: 3, isRepositionable: true, isLocal: true, fileTypeHint: .wave))
  }

  @Test("a file URL is decoded and opened")
  func fileURL() throws {
    let path = directory.file("a ü#.mp2", [1, 2, 3])
    let encoded = path.split(separator: " ").joined(separator: "%20")
    for prefix in ["file://", "file:", "FILE://localhost"] {
      #expect(try openByteSource(prefix + encoded).readAll().bytes == [1, 2, 3])
    }
  }

  @Test("at least the next 512 KiB are requested from the system before they are read")
  func readAhead() throws {
    let path = directory.file("long.mp3", Pattern.body(4 << 20))
    let file = unsafe open(path, O_RDONLY)
    defer { close(file) }
    fsync(file)
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
    let source = try openByteSource(path)
    for place in [0, 3 << 20] as [UInt64] {
      try source.reposition(to: place)
      _ = try source.read(4096)
      #expect(eventually { isInMemory(Int(place)..<Int(place) + 512 << 10, of: file) })
    }
  }

  /// Whether the system has a part of a file in memory (mincore(2)).
  private func isInMemory(_ bytes: Range<Int>, of file: Int32) -> Bool {
    guard
      let memory = unsafe mmap(nil, bytes.count, PROT_READ, MAP_SHARED, file, bytes.lowerBound),
      unsafe memory != MAP_FAILED
    else { return false }
    defer { unsafe munmap(memory, bytes.count) }
    var pages = [UInt8](repeating: 0, count: bytes.count / 4096)
    return unsafe mincore(memory, bytes.count, &pages) == 0 && pages.allSatisfy { $0 & 1 == 1 }
  }

  @Test("a missing file is reported when it is opened")
  func missing() {
    let path = "\(directory.path)/none.mp3"
    #expect(throws: ByteSourceError(.notFound, at: path)) { try openByteSource(path) }
    let beyondFile = directory.file("a", []) + "/none.mp3"
    #expect(throws: ByteSourceError(.notFound, at: beyondFile)) { try openByteSource(beyondFile) }
  }

  @Test("a directory is reported when it is opened")
  func isDirectory() {
    let path = directory.path
    #expect(throws: ByteSourceError(.directory, at: path)) { try openByteSource(path) }
  }

  @Test("an empty file is reported by the first read and by every later one")
  func empty() throws {
    let path = directory.file("empty.mp3", [])
    let source = try openByteSource(path)
    for _ in 0..<2 {
      #expect(throws: ByteSourceError(.empty, at: path)) { try source.read() }
    }
    #expect(failure("/dev/null") == .empty)
  }

  @Test("an unreadable file is reported when it is opened")
  func permission() async {
    // In its own process, because the user identity applies to the whole process.
    await #expect(processExitsWith: .success) {
      let directory = TemporaryDirectory()
      let path = directory.file("secret.mp3", [1])
      _ = unsafe chmod(path, 0)
      if geteuid() == 0 { #expect(seteuid(65534) == 0) }
      #expect(throws: ByteSourceError(.permissionDenied, at: path)) { try openByteSource(path) }
      if getuid() == 0 { #expect(seteuid(0) == 0) }
    }
  }

  @Test("a read error of the system is reported with its name")
  func systemError() {
    // Reading this file at offset 0 fails, because no process has memory there.
    let error = readAll("/proc/self/mem").error
    #expect(error?.reason == .system(errno: EIO))
    #expect(error?.description.contains("Input/output error") == true)
  }

  @Test("a file of the proc file system has no size and is read to its end")
  func proc() throws {
    let source = try openByteSource("/proc/self/status")
    #expect(source.information.byteCount == nil)
    #expect(source.readAll().bytes.starts(with: Array("Name:".utf8)))
  }

  @Test("a name with control characters is shown on one line")
  func controlCharacters() {
    let path = "\(directory.path)/a\n\u{1B}[2Jb\u{2028}.mp3"
    let shown = "\(directory.path)/a\\u{a}\\u{1b}[2Jb\\u{2028}.mp3"
    #expect(throws: ByteSourceError(.notFound, at: shown)) { try openByteSource(path) }
  }

  @Test("a closed file is at its end")
  func closed() throws {
    let source = try openByteSource(directory.file("a.mp3", [1, 2, 3]))
    source.close()
    source.close()
    source.wake()
    #expect(try source.read().answer == .end)
  }
}

@Suite("A pipe as a byte source")
struct PipeByteSourceTests {
  let directory = TemporaryDirectory()

  private func makeFIFO() -> String {
    let path = "\(directory.path)/fifo"
    let result = unsafe mkfifo(path, 0o600)
    #expect(result == 0)
    return path
  }

  @Test("a FIFO is waited for, read as it is written, and ends with its writer")
  func fifo() throws {
    let path = makeFIFO()
    let source = try openByteSource(path)
    #expect(try source.read(timeout: 0).answer == .wait)
    let wait = try duration {
      let answer = try source.read(timeout: 20 * millisecond).answer
      #expect(answer == .wait)
    }
    #expect(wait >= 20 * millisecond)
    let writer = openDescriptor(path, O_WRONLY)
    #expect(try source.read(timeout: 0).answer == .wait)
    #expect(writeBytes([1, 2, 3], to: writer) == 3)
    #expect(try source.read().bytes == [1, 2, 3])
    #expect(try source.read(timeout: 0).answer == .wait)
    close(writer)
    #expect(try source.read().answer == .end)
    #expect(source.information == ByteSourceInformation(name: path))
  }

  @Test("a FIFO whose writer writes nothing is empty")
  func emptyFIFO() throws {
    let path = makeFIFO()
    let source = try openByteSource(path)
    close(openDescriptor(path, O_WRONLY))
    #expect(throws: ByteSourceError(.empty, at: path)) { try source.read() }
  }

  @Test("a wake ends a wait at once, and a wake before a wait ends that wait at its start")
  func wake() throws {
    let source = try openByteSource(makeFIFO())
    source.wake()
    let early = try duration {
      let answer = try source.read(timeout: 60 * second).answer
      #expect(answer == .wait)
    }
    #expect(early < 5 * second)
    let waker = JoinableThread {
      usleep(20_000)
      source.wake()
    }
    let late = try duration {
      let answer = try source.read(timeout: 60 * second).answer
      #expect(answer == .wait)
    }
    #expect(late < 5 * second)
    waker.join()
    #expect(try source.read(timeout: 0).answer == .wait)
    source.close()
    source.wake()
  }

  @Test("standard input is read from a pipe and stays open when the source is closed")
  func standardInput() async {
    await #expect(processExitsWith: .success) {
      let (readEnd, writeEnd) = makePipe()
      #expect(dup2(readEnd, 0) == 0)
      func use() throws {
        let source = try openByteSource("-")
        #expect(source.information == ByteSourceInformation(name: "standard input"))
        #expect(try source.read(timeout: 0).answer == .wait)
        #expect(writeBytes([1, 2, 3], to: writeEnd) == 3)
        #expect(try source.read().bytes == [1, 2, 3])
        source.close()
      }
      try use()
      let before = openDescriptorCount()
      try use()
      #expect(eventually { openDescriptorCount() == before })
      #expect(fcntl(0, F_GETFD) >= 0)
    }
  }

  @Test("standard input is read from a file; a directory or a terminal is reported")
  func standardInputKinds() async {
    await #expect(processExitsWith: .success) {
      let directory = TemporaryDirectory()
      let body = Pattern.body(100_000)
      dup2(openDescriptor(directory.file("a", body), O_RDONLY), 0)
      #expect(readAll("-").bytes == body)
      dup2(openDescriptor("/", O_RDONLY), 0)
      #expect(failure("-") == .directory)
      dup2(openDescriptor("/dev/ptmx", O_RDWR | O_NOCTTY), 0)
      #expect(failure("-") == .terminal)
    }
  }
}
