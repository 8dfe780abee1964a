// SPDX-License-Identifier: MIT

import Glibc

/// A session manager for tests: the behaviour of `nsmd` as its clients see it (NSM API 1.1.2, and the order of messages
/// in `nsmd.cpp`), over UDP on 127.0.0.1.
///
/// No real one can be installed: Debian 12 has neither New Session Manager nor Carla, and PyPI has no RaySession. This
/// one does not use liblo, so that the two sides of a conversation do not share a library, and so that it can send
/// messages that no library would.
public final class SessionManagerServer: Sendable {
  /// The answer to a client that announces itself.
  public enum Answer: Sendable {
    /// Accepts the client and makes it open this path, under this client ID.
    case open(path: String, clientID: String)
    /// Refuses the client.
    case refuse(code: Int32, message: String)
    /// Does not answer.
    case nothing
  }

  private struct State {
    var messages: [OSCPacket] = []
    var client: sockaddr_in?
    var hasStopped = false
  }

  private let answer: Answer
  private let descriptor: Int32
  private let port: UInt16
  private let state = Locked(State())
  private let thread = Locked<JoinableThread?>(nil)

  /// Starts to listen.
  public init(_ answer: Answer) {
    self.answer = answer
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    precondition(descriptor >= 0, "no descriptors left")
    port = bindToLoopback(descriptor)
    thread.withLock { $0 = JoinableThread { [self] in serve() } }
  }

  /// Ends the server. Call it once.
  public func stop() {
    state.withLock { $0.hasStopped = true }
    thread.withLock { $0?.join() }
    close(descriptor)
  }

  /// The server's URL as liblo writes it.
  public var url: String { "osc.udp://127.0.0.1:\(port)/" }

  /// The environment in which a program finds the server.
  public var environment: [String: String] { ["NSM_URL": url] }

  /// All received messages, in order.
  public var messages: [OSCPacket] { state.withLock { $0.messages } }

  /// Returns the received messages with this path.
  public func messages(_ path: String) -> [OSCPacket] { messages.filter { $0.path == path } }

  /// Returns the answers to a request of this path: `/reply` and `/error`.
  public func answers(to path: String) -> [OSCPacket] {
    messages.filter {
      ["/reply", "/error"].contains($0.path) && $0.arguments.first == .string(path)
    }
  }

  /// Sends a message to the client.
  public func send(_ packet: OSCPacket) { send(bytes: packet.bytes) }

  /// Sends a datagram with any content to the client.
  public func send(bytes: [UInt8]) { send(bytes, from: descriptor) }

  /// Sends a message to the client from a socket other than the server's own.
  public func sendFromElsewhere(_ packet: OSCPacket) {
    let other = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    precondition(other >= 0, "no descriptors left")
    _ = bindToLoopback(other)
    send(packet.bytes, from: other)
    close(other)
  }

  private func send(_ bytes: [UInt8], from descriptor: Int32) {
    guard var address = state.withLock({ $0.client }) else { return }
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        _ = unsafe sendto(descriptor, bytes, bytes.count, 0, pointer, length)
      }
    }
  }

  private func serve() {
    while !state.withLock({ $0.hasStopped }) {
      var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&item, 1, 10) > 0 else { continue }
      var bytes = [UInt8](repeating: 0, count: 65536)
      var address = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let count = unsafe withUnsafeMutablePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          unsafe recvfrom(descriptor, &bytes, bytes.count, 0, pointer, &length)
        }
      }
      guard count >= 0, let packet = OSCPacket(Array(bytes[..<count])) else { continue }
      let isAnnouncement = packet.path == "/nsm/server/announce"
      state.withLock { state in
        state.messages.append(packet)
        if isAnnouncement { state.client = address }
      }
      if isAnnouncement { takeIn() }
    }
  }

  private func takeIn() {
    let path = OSCPacket.Argument.string("/nsm/server/announce")
    switch answer {
    case .nothing: break
    case .refuse(let code, let message):
      send(OSCPacket("/error", [path, .integer(code), .string(message)]))
    case .open(let place, let clientID):
      send(
        OSCPacket(
          "/reply",
          [
            path, .string("Acknowledged as full NSM client (started ourselves)."),
            .string("New Session Manager"), .string(":server-control:broadcast:optional-gui:"),
          ]))
      send(
        OSCPacket(
          "/nsm/client/open", [.string(place), .string("song"), .string(clientID)]))
    }
  }
}
