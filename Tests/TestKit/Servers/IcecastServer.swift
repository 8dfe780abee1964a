// SPDX-License-Identifier: MIT

import Glibc

/// icecast2 with one station, `/live`, and a mount that its listeners fall back to, if that mount has a source.
public final class IcecastServer {
  private let folder = TemporaryDirectory()
  private var process: ServerProcess
  private let port: UInt16

  /// The password of its sources and its administrator.
  private static var password: String { "drawbar" }

  /// Starts the server without a source.
  public init() throws {
    let folder = folder
    process = try ServerProcess.start { try Self.command(folder, $0) }
    port = process.port
  }

  /// Ends the server at once, with all connections.
  public func stop() {
    process.stop()
  }

  /// Restarts the server on the same port, without a source.
  public func restart() throws {
    stop()
    process = try ServerProcess.start(port: port) { try Self.command(folder, $0) }
  }

  /// Returns the URL of a mount.
  public func url(_ mount: String = "/live") -> String {
    "http://127.0.0.1:\(port)\(mount)"
  }

  /// Starts ffmpeg, which sends a file to a mount again and again, in real time.
  ///
  /// - Returns: the source, once listeners are served; end it with a signal.
  public func startSource(_ file: String, at mount: String = "/live") throws -> Subprocess {
    let target = url(mount).replacing("http://", with: "icecast://source:\(Self.password)@")
    let source = Subprocess(
      ["ffmpeg", "-nostdin", "-v", "error", "-re"] + Self.copy(file, times: -1)
        + ["-content_type", "audio/mpeg", "-ice_name", "Prüfsender", target])
    let isThere = eventually {
      source.pid == nil || request("/status-json.xsl").contains("\(mount)\"")
    }
    guard isThere, source.pid != nil else { throw ServerProcess.Failure(text: source.errors) }
    return source
  }

  /// Returns the bytes that a source sends to a mount when it sends a file `times` times.
  public static func sent(_ file: String, times: Int) -> [UInt8] {
    let arguments = ["ffmpeg", "-nostdin", "-v", "error"] + copy(file, times: times - 1) + ["-"]
    return ReferenceDecoder.output(arguments.map { "'\($0)'" }.joined(separator: " "))
  }

  private static func copy(_ file: String, times: Int) -> [String] {
    [
      "-stream_loop", "\(times)", "-i", file, "-c", "copy", "-write_xing", "0",
      "-id3v2_version", "0", "-f", "mp3",
    ]
  }

  /// Sets the title of a mount, as a studio does (`mode=updinfo`), and returns whether icecast accepted it.
  public func setTitle(_ title: String, at mount: String = "/live") -> Bool {
    let song = title.utf8.map { byte in
      "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
    return request("/admin/metadata?mount=\(mount)&mode=updinfo&charset=UTF-8&song=\(song)")
      .contains("Metadata update successful")
  }

  /// Returns the body of a response to the administrator.
  private func request(_ target: String) -> String {
    String(
      decoding: ReferenceDecoder.output(
        "curl -s -m 5 -u admin:\(Self.password) '\(url(target))'"), as: UTF8.self)
  }

  private static func command(_ folder: TemporaryDirectory, _ port: UInt16) throws -> [String] {
    let text = """
      <icecast>
        <limits><sources>4</sources><source-timeout>2</source-timeout></limits>
        <authentication>
          <source-password>\(password)</source-password>
          <admin-user>admin</admin-user>
          <admin-password>\(password)</admin-password>
        </authentication>
        <hostname>127.0.0.1</hostname>
        <listen-socket><port>\(port)</port><bind-address>127.0.0.1</bind-address></listen-socket>
        <mount type="normal">
          <mount-name>/live</mount-name>
          <fallback-mount>/reserve</fallback-mount>
          <fallback-override>1</fallback-override>
          <charset>UTF-8</charset>
        </mount>
        <paths>
          <webroot>/usr/share/icecast2/web</webroot>
          <adminroot>/usr/share/icecast2/admin</adminroot>
          <logdir>/tmp</logdir>
        </paths>
        <logging><accesslog>-</accesslog><errorlog>-</errorlog><loglevel>2</loglevel></logging>
      </icecast>

      """
    let configuration = folder.file("icecast.xml")
    guard let file = unsafe fopen(configuration, "w") else {
      throw ServerProcess.Failure(text: configuration)
    }
    unsafe fputs(text, file)
    unsafe fclose(file)
    _ = unsafe chmod(folder.path, 0o755)
    _ = unsafe chmod(configuration, 0o644)
    // icecast does not run as root, and the configuration is no secret.
    let asNobody = [
      "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--pdeathsig", "TERM", "--",
    ]
    return (getuid() == 0 ? asNobody : []) + ["icecast2", "-c", configuration]
  }
}
