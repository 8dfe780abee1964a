// SPDX-License-Identifier: MIT

import Glibc

/// nginx with a folder of files, and nothing else of the machine's configuration.
public final class NginxServer {
  /// One line of its log, which it writes when the answer is over.
  public struct Answer: Hashable, Sendable {
    /// The status that was sent.
    public var status: Int
    /// The request's `Range`; `-` without one.
    public var range: String

    /// An answer with these.
    public init(status: Int, range: String) {
      self.status = status
      self.range = range
    }
  }

  private let folder = TemporaryDirectory()
  private let bytesPerSecond: Int
  private var process: ServerProcess?
  /// Where it listens, also after a ``restart()``.
  public let port: UInt16

  /// Starts it.
  ///
  /// - Parameter bytesPerSecond: how fast each answer's body is sent; 0 is as fast as it is taken.
  public init(bytesPerSecond: Int = 0) throws {
    self.bytesPerSecond = bytesPerSecond
    let (folder, rate) = (folder, bytesPerSecond)
    let server = try ServerProcess.start { try Self.command(folder, $0, rate) }
    process = server
    port = server.port
    let result = unsafe mkdir(folder.file("files"), 0o755)
    precondition(result == 0, "cannot make a folder")
  }

  /// The URL of a file.
  public func url(_ name: String) -> String { "http://127.0.0.1:\(port)/\(name)" }

  /// Has it serve these bytes under a name, from the next request on: a new file takes the place of one
  /// that is there, and answers that are under way go on with the old one.
  public func serve(_ bytes: [UInt8], as name: String) throws {
    let new = folder.file("new")
    guard let file = unsafe fopen(new, "wb") else { throw ServerProcess.Failure(text: new) }
    let written = unsafe fwrite(bytes, 1, bytes.count, file)
    unsafe fclose(file)
    guard written == bytes.count, unsafe rename(new, folder.file("files/" + name)) == 0 else {
      throw ServerProcess.Failure(text: "cannot write \(new)")
    }
  }

  /// Ends it at once, with all connections.
  public func stop() {
    process?.stop()
    process = nil
  }

  /// Starts it anew on the same port.
  public func restart() throws {
    stop()
    let (folder, rate) = (folder, bytesPerSecond)
    process = try ServerProcess.start(port: port) { try Self.command(folder, $0, rate) }
  }

  /// The answers that are over, in the order of their ends.
  public var answers: [Answer] {
    String(decoding: contents(ofFile: folder.file("access.log")), as: UTF8.self)
      .split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ")
        guard words.count == 2, let status = Int(words[0]) else { return nil }
        return Answer(status: status, range: String(words[1]))
      }
  }

  /// nginx takes as much as the kernel has room for, and then waits until its rate allows more: small
  /// buffers keep what was sent close to what was received.
  private static func command(
    _ folder: TemporaryDirectory, _ port: UInt16, _ bytesPerSecond: Int
  ) throws -> [String] {
    let path = folder.path
    let text = """
      \(getuid() == 0 ? "user root;" : "")
      daemon off;
      worker_processes 1;
      pid \(path)/pid;
      error_log stderr;
      events { worker_connections 64; }
      http {
        log_format answers '$status $http_range';
        access_log \(path)/access.log answers;
        client_body_temp_path \(path)/body;
        proxy_temp_path \(path)/proxy;
        fastcgi_temp_path \(path)/fastcgi;
        uwsgi_temp_path \(path)/uwsgi;
        scgi_temp_path \(path)/scgi;
        types { audio/mpeg mp3; audio/flac flac; audio/wav wav; }
        gzip off;
        sendfile on;
        limit_rate \(bytesPerSecond);
        server {
          listen 127.0.0.1:\(port) sndbuf=64k;
          root \(path)/files;
        }
      }

      """
    let configuration = folder.file("nginx.conf")
    guard let file = unsafe fopen(configuration, "w") else {
      throw ServerProcess.Failure(text: configuration)
    }
    unsafe fputs(text, file)
    unsafe fclose(file)
    return ["nginx", "-p", path, "-c", configuration, "-e", "stderr"]
  }
}
