// SPDX-License-Identifier: MIT

/// stunnel in front of a server on this machine, which adds TLS to its connections.
public final class TLSTunnel {
  private let workshop = Workshop()
  private let process: ServerProcess

  /// Starts stunnel with a new self-signed certificate.
  ///
  /// - Parameter port: the port on which the server listens.
  /// - Throws: the programs' output.
  public init(to port: UInt16) throws {
    let workshop = workshop
    try workshop.run(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=127.0.0.1 "
        + "-addext subjectAltName=IP:127.0.0.1 -days 2 -keyout key.pem -out certificate.pem")
    process = try ServerProcess.start { own in
      let configuration = """
        foreground = yes
        pid =
        [tunnel]
        accept = 127.0.0.1:\(own)
        connect = 127.0.0.1:\(port)
        cert = \(workshop.path("certificate.pem"))
        key = \(workshop.path("key.pem"))
        TIMEOUTclose = 0

        """
      try workshop.write(Array(configuration.utf8), "stunnel.conf")
      return ["stunnel", workshop.path("stunnel.conf")]
    }
  }

  /// The certificate's file, in PEM.
  public var certificateFile: String { workshop.path("certificate.pem") }

  /// Returns the URL of a path.
  public func url(_ path: String) -> String { "https://127.0.0.1:\(process.port)\(path)" }

  /// Ends stunnel and all its connections.
  public func stop() { process.stop() }
}
