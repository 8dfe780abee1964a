// SPDX-License-Identifier: MIT

#if DRAWBAR_LIBLO
  internal import CLO
  internal import Glibc

  /// The UDP socket to a session manager: liblo's server, which also sends all messages, as the API requires. One
  /// thread at a time: the thread that opens it hands it over.
  @safe
  final class SessionSocket: @unchecked Sendable {
    private let lo: drawbar_lo
    private let server: UnsafeMutableRawPointer
    private let address: UnsafeMutableRawPointer
    private let peer: SessionPeer
    /// Messages from the session manager that were not taken yet.
    private var inbox: [OSCMessage] = []

    /// The most packets read at once; the kernel keeps the rest and drops what exceeds its buffer.
    private static let packetsATime = 64

    /// Looks up the host and opens a port. Both may block on a name server.
    init(_ url: SessionManagerURL) throws(SessionFailure) {
      guard let lo = LOLibrary.functions else { throw .noLibrary }
      peer = try SessionPeer(url)
      // An empty error handler: without one, liblo prints.
      guard let server = unsafe lo.lo_server_new(nil, { _, _, _ in }) else { throw .noSocket }
      guard let address = unsafe lo.lo_address_new(peer.host, String(peer.port)) else {
        unsafe lo.lo_server_free(server)
        throw .noSocket
      }
      unsafe (self.lo, self.server, self.address) = unsafe (lo, server, address)
      // liblo handles messages for a later time at once, so no sender can fill the memory with them.
      _ = unsafe lo.lo_server_enable_queue(server, 0, 0)
      _ = unsafe lo.lo_server_add_method(
        server, nil, nil, receive, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
      unsafe lo.lo_server_free(server)
      unsafe lo.lo_address_free(address)
    }

    /// The descriptor to wait for with poll(2).
    var descriptor: Int32 { unsafe lo.lo_server_get_socket_fd(server) }

    /// Sets whether the kernel reports that no program listens where a message was sent to (ip(7), `IP_RECVERR`).
    func reportsRefusals(_ isWanted: Bool) {
      var value: Int32 = isWanted ? 1 : 0
      unsafe setsockopt(
        descriptor, Int32(IPPROTO_IP), IP_RECVERR, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Whether a message found no listener since the last read of this property.
    var wasRefused: Bool {
      var code: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
      return code == ECONNREFUSED
    }

    /// Sends a message; a lost datagram is not repeated.
    func send(_ path: String, _ arguments: [OSCMessage.Argument]) {
      guard let message = unsafe lo.lo_message_new() else { return }
      defer { unsafe lo.lo_message_free(message) }
      for argument in arguments {
        switch argument {
        case .string(let text): _ = unsafe lo.lo_message_add_string(message, text)
        case .integer(let number): _ = unsafe lo.lo_message_add_int32(message, number)
        case .other: continue
        }
      }
      _ = unsafe lo.lo_send_message_from(address, server, path, message)
    }

    /// Returns the session manager's next message; nil if there is none. Does not wait.
    func next() -> OSCMessage? {
      var count = 0
      while inbox.isEmpty, count < Self.packetsATime, isReadable {
        _ = unsafe lo.lo_server_recv_noblock(server, 0)
        count += 1
      }
      return inbox.isEmpty ? nil : inbox.removeFirst()
    }

    private var isReadable: Bool {
      var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return unsafe poll(&item, 1, 0) > 0 && item.revents & Int16(POLLIN) != 0
    }

    /// Keeps a message if it is the session manager's.
    fileprivate func take(
      _ path: UnsafePointer<CChar>, _ types: UnsafePointer<CChar>?,
      _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<lo_arg>?>?, _ count: Int32,
      _ message: UnsafeMutableRawPointer?
    ) {
      guard let source = unsafe lo.lo_message_get_source(message),
        let host = unsafe lo.lo_address_get_hostname(source),
        let port = unsafe lo.lo_address_get_port(source),
        unsafe peer.sent(fromHost: String(cString: host), port: String(cString: port)),
        let path = unsafe String(validatingCString: path), inbox.count < Self.packetsATime
      else { return }
      var taken = OSCMessage(path: path)
      for index in 0..<Int(max(0, count)) {
        guard let types = unsafe types, let argument = unsafe arguments?[index] else { break }
        unsafe taken.arguments.append(OSCMessage.Argument(types[index], argument))
      }
      inbox.append(taken)
    }
  }

  extension OSCMessage.Argument {
    /// - Parameters:
    ///   - type: its tag (OSC 1.0, "OSC Type Tag String").
    ///   - value: liblo's value; liblo has checked that a string ends inside the message.
    fileprivate init(_ type: CChar, _ value: UnsafeMutablePointer<lo_arg>) {
      // Not read as the declared union, which is larger than the argument in the message.
      let value = UnsafeRawPointer(value)
      switch UInt8(bitPattern: type) {
      case UInt8(ascii: "s"):
        let text = unsafe value.assumingMemoryBound(to: CChar.self)
        self = unsafe String(validatingCString: text).map { .string($0) } ?? .other
      case UInt8(ascii: "i"): self = unsafe .integer(value.loadUnaligned(as: Int32.self))
      default: self = .other
      }
    }
  }

  /// Receives every message. 0 means that the message was handled.
  private func receive(
    _ path: UnsafePointer<CChar>?, _ types: UnsafePointer<CChar>?,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<lo_arg>?>?, _ count: Int32,
    _ message: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?
  ) -> Int32 {
    guard let path = unsafe path, let context = unsafe context else { return 0 }
    let socket = unsafe Unmanaged<SessionSocket>.fromOpaque(context).takeUnretainedValue()
    unsafe socket.take(path, types, arguments, count, message)
    return 0
  }
#endif
