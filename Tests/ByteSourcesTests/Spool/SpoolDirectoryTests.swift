// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

@testable import ByteSources

@Suite("The spool's directory")
struct SpoolDirectoryTests {
  private let directory = TemporaryDirectory()

  private func status(_ path: String) -> stat {
    var status = stat()
    #expect(unsafe lstat(path, &status) == 0)
    return status
  }

  @Test("it is created with its parents, for its owner alone, and so are the files")
  func modes() throws {
    let path = directory.path + "/cache/drawbar"
    do {
      let spools = try SpoolDirectory.open(path)
      let (name, file) = try spools.makeFile()
      #expect(SpoolFileName.isOne(name))
      #expect(status(path).st_mode & 0o7777 == 0o700)
      #expect(status("\(path)/\(name)").st_mode & 0o7777 == 0o600)
      #expect(fcntl(file, F_GETFD) & FD_CLOEXEC != 0)
      spools.remove(name, file)
    }
    // The directories are empty again, or these calls would fail.
    #expect(unsafe rmdir(path) == 0)
    #expect(unsafe rmdir(directory.path + "/cache") == 0)
  }

  @Test("an unlocked file is removed when the directory is opened, a locked one kept")
  func dead() throws {
    let (dead, live) = (SpoolFileName.random(), SpoolFileName.random())
    _ = directory.file(dead, [1, 2, 3])
    let descriptor = openDescriptor(directory.file(live, [4]), O_RDWR)
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    let spools = try SpoolDirectory.open(directory.path)
    #expect(directory.names == [live])
    close(descriptor)
    spools.removeDeadFiles()
    #expect(directory.names.isEmpty)
  }

  @Test("a file in use is kept, also in the same process, and sources share one directory")
  func live() throws {
    let spools = try SpoolDirectory.open(directory.path)
    let (name, file) = try spools.makeFile()
    #expect(try SpoolDirectory.open(directory.path) === spools)
    spools.removeDeadFiles()
    #expect(directory.names == [name])
    spools.remove(name, file)
    #expect(directory.names.isEmpty)
  }

  @Test("nothing else is removed: other names, links and their targets, directories, pipes")
  func others() throws {
    var expected: Set<String> = []
    let digits = "0123456789abcdef"
    for name in [
      "song.mp3", "drawbar-.spool", "drawbar-\(digits).spool~", "drawbar-\(digits)0.spool",
      "drawbar-0123456789ABCDEF.spool", "drawbar-0123456789abcdeg.spool",
      "xdrawbar-\(digits).spool",
      "drawbar-\(digits).Spool", "drawbar-\(digits)", ".drawbar-\(digits).spool",
    ] {
      _ = directory.file(name, [1])
      expected.insert(name)
    }
    let (link, pipe, folder) = (
      SpoolFileName.random(), SpoolFileName.random(), SpoolFileName.random()
    )
    #expect(unsafe symlink(directory.path + "/song.mp3", "\(directory.path)/\(link)") == 0)
    #expect(unsafe mkfifo("\(directory.path)/\(pipe)", 0o600) == 0)
    #expect(unsafe mkdir("\(directory.path)/\(folder)", 0o700) == 0)
    expected.formUnion([link, pipe, folder])
    _ = try SpoolDirectory.open(directory.path)
    #expect(Set(directory.names) == expected)
    #expect(unsafe rmdir("\(directory.path)/\(folder)") == 0)
  }

  @Test("another file that has taken a spool file's name is not removed")
  func replaced() throws {
    let spools = try SpoolDirectory.open(directory.path)
    let (name, file) = try spools.makeFile()
    #expect(unsafe unlink("\(directory.path)/\(name)") == 0)
    _ = directory.file(name, [1])
    spools.remove(name, file)
    #expect(directory.names == [name])
  }

  @Test("a path that cannot be a directory is reported")
  func impossible() {
    let file = directory.file("file", [1])
    #expect(throws: SpoolFailure(errno: ENOTDIR)) { try SpoolDirectory.open(file) }
    #expect(throws: SpoolFailure(errno: ENOTDIR)) { try SpoolDirectory.open("\(file)/below") }
    #expect(throws: SpoolFailure(errno: ENOENT)) { try SpoolDirectory.open("") }
  }

  @Test("all files together may use the limit, and one file leaves room for others")
  func grants() throws {
    let spools = try SpoolDirectory.open(directory.path)
    func grow(_ present: UInt64) -> UInt64 {
      var size = present
      while spools.grant(10, besides: size, maximumBytes: 1000) { size += 10 }
      return size
    }
    let first = grow(0)
    #expect(first == 800)
    let second = grow(0)
    #expect(second == 160)
    #expect(!spools.grant(.max, besides: 0, maximumBytes: .max))
    spools.takeBack(first)
    #expect(grow(second) > 600)
  }

  @Test("a killed process's files are removed by the next one")
  func crash() async throws {
    let path = directory.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let source = SpooledByteSource(
        SyntheticSource(), directoryPath: path, maximumBytes: 1 << 20)
      _ = try source.read()
      raise(SIGKILL)
    }
    #expect(directory.names.count == 1)
    #expect(directory.names.allSatisfy(SpoolFileName.isOne))
    _ = try SpoolDirectory.open(path)
    #expect(directory.names.isEmpty)
  }

  @Test("files that another process uses stay until that process has ended")
  func otherProcess() throws {
    let name = SpoolFileName.random()
    let path = directory.file(name, [1, 2, 3])
    let other = Subprocess(["flock", path, "sleep", "600"])
    let isHeld = eventually(seconds: 30) {
      let descriptor = openDescriptor(path, O_RDWR)
      defer { close(descriptor) }
      return flock(descriptor, LOCK_EX | LOCK_NB) != 0
    }
    #expect(isHeld)
    let spools = try SpoolDirectory.open(directory.path)
    spools.removeDeadFiles()
    #expect(directory.names == [name])
    other.signalGroup(SIGKILL)
    #expect(other.wait(seconds: 30) == .signal(SIGKILL))
    // The kernel releases the lock with the last process that holds it.
    let isRemoved = eventually(seconds: 30) {
      spools.removeDeadFiles()
      return directory.names.isEmpty
    }
    #expect(isRemoved)
  }

  @Test("the cache directory is XDG's if absolute, else in the home directory, else none")
  func cacheDirectory() async {
    await #expect(processExitsWith: .success) {
      _ = unsafe setenv("HOME", "/home/me", 1)
      _ = unsafe setenv("XDG_CACHE_HOME", "/var/caches", 1)
      #expect(
        SpoolConfiguration.inCacheDirectory(maximumBytes: 5)
          == .directory(path: "/var/caches/drawbar", maximumBytes: 5))
      for value in ["", "relative"] {
        _ = unsafe setenv("XDG_CACHE_HOME", value, 1)
        #expect(
          SpoolConfiguration.inCacheDirectory()
            == .directory(path: "/home/me/.cache/drawbar", maximumBytes: 1 << 30))
      }
      _ = unsafe unsetenv("HOME")
      #expect(SpoolConfiguration.inCacheDirectory() == .off)
    }
  }
}
