// SPDX-License-Identifier: MIT

import Glibc

/// nginx with a folder of files, independent of the machine's configuration.
public final class NginxServer {
  /// One line of nginx's log, which it writes at the end of a response.
  public struct Answer: Hashable, Sendable {
    /// The status that was sent.
    public var status: Int
    /// The request's `Range`; `-` without one.
    public var range: String

    /// An answer with this status and range.
    public init(status: Int, range: String) {
      self.status = status
      self.range = range
    }
  }

  private let folder = TemporaryDirectory()
  private let bytesPerSecond: Int
  private var process: ServerProcess?
  /// The port on which it listens, also after a ``restart()``.
  public let port: UInt16

  /// Starts the server.
  ///
  /// - Parameter bytesPerSecond: the rate at which each response's body is sent; 0 is as fast as the client reads.
  public init(bytesPerSecond: Int = 0) throws {
    self.bytesPerSecond = bytesPerSecond
    let (folder, rate) = (folder, bytesPerSecond)
    let server = try ServerProcess.start { try Self.command(folder, $0, rate) }
    process = server
    port = server.port
    let result = unsafe mkdir(folder.file("files"), 0o755)
    precondition(result == 0, "cannot make a folder")
  }

  /// Returns the URL of a file.
  public func url(_ name: String) -> String { "http://127.0.0.1:\(port)/\(name)" }

  /// Serves these bytes under a name, from the next request on. A new file replaces an existing one, and responses in
  /// progress continue with the old one.
  public func serve(_ bytes: [UInt8], as name: String) throws {
    let new = folder.file("new")
    guard let file = unsafe fopen(new, "wb") else { throw ServerProcess.Failure(text: new) }
    let written = unsafe fwrite(bytes, 1, bytes.count, file)
    unsafe fclose(file)
    guard written == bytes.count, unsafe rename(new, folder.file("files/" + name)) == 0 else {
      throw ServerProcess.Failure(text: "cannot write \(new)")
    }
  }

  /// Ends the server at once, with all connections.
  public func stop() {
    process?.stop()
    process = nil
  }

  /// Restarts the server on the same port.
  public func restart() throws {
    stop()
    let (folder, rate) = (folder, bytesPerSecond)
    process = try ServerProcess.start(port: port) { try Self.command(folder, $0, rate) }
  }

  /// The completed answers, in the order of their ends.
  public var answers: [Answer] {
    String(decoding: contents(ofFile: folder.file("access.log")), as: UTF8.self)
      .split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ")
        guard words.count == 2, let status = Int(words[0]) else { return nil }
        return Answer(status: status, range: String(words[1]))
      }
  }

  /// nginx fills the kernel's buffers, and then waits until its rate permits more: small buffers keep the count of sent
  /// bytes close to that of received ones.
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
