// SPDX-License-Identifier: MIT

public import Glibc

#if DRAWBAR_LIBLO
  /// A program in a session of the Non or New Session Manager (NSM API 1.1, Open Sound Control over UDP).
  ///
  /// It has no thread: its owner polls ``pollRequest`` along with its other descriptors, takes events, and answers
  /// requests. After ``join(_:as:withinSeconds:isCancelled:)`` nothing in it waits. One thread at a time, never the
  /// render thread.
  public final class SessionClient {
    private let socket: SessionSocket
    private var conversation = SessionConversation()
    private var isDirty = false

    /// The most messages taken before the owner's other work continues.
    private static let messagesATime = 64

    /// Whether this build includes session management.
    public static var isBuiltIn: Bool { true }

    private init(_ socket: SessionSocket) {
      self.socket = socket
    }

    /// Announces the program and waits for the session manager's request to open a state.
    ///
    /// - Parameters:
    ///   - url: the session manager's URL.
    ///   - announcement: the program's names.
    ///   - seconds: the time limit for everything.
    ///   - isCancelled: called about ten times a second; true ends the wait.
    /// - Returns: the client, and the path and names to use: ``SessionRequest/open`` is still to be answered.
    /// - Throws: ``SessionFailure`` if the program cannot join a session.
    public static func join(
      _ url: SessionManagerURL, as announcement: SessionAnnouncement, withinSeconds seconds: Double,
      isCancelled: () -> Bool
    ) throws(SessionFailure) -> (client: SessionClient, location: SessionLocation) {
      let end = monotonicSeconds() + seconds
      guard let socket = try SessionSocket.open(url, until: end, isCancelled: isCancelled) else {
        throw .noAnswer(url.text, seconds: seconds)
      }
      let client = SessionClient(socket)
      socket.reportsRefusals(true)
      client.announce(announcement)
      while true {
        let event = client.nextEvent()
        switch event {
        case .open(let location):
          socket.reportsRefusals(false)
          return (client, location)
        case .refused(let code, let message): throw .refused(code: code, message: message)
        case .invalid(.open, let refusal): throw .unusablePath(refusal.message)
        case .invalid, .joined, .save, .sessionIsLoaded, nil: break
        }
        if socket.wasRefused { throw .nobodyListens(url.text) }
        if isCancelled() { throw .cancelled }
        let left = end - monotonicSeconds()
        guard left > 0 else { throw .noAnswer(url.text, seconds: seconds) }
        guard event == nil else { continue }
        var item = client.pollRequest
        unsafe poll(&item, 1, Int32(min(100, left * 1000 + 1)))
      }
    }

    private func announce(_ announcement: SessionAnnouncement) {
      let version = SessionConversation.apiVersion
      socket.send(
        SessionConversation.announcePath,
        [
          .string(announcement.applicationName), .string(SessionConversation.capabilities),
          .string(announcement.executableName), .integer(version.major), .integer(version.minor),
          .integer(getpid()),
        ])
    }

    /// The descriptor to wait for with poll(2).
    public var pollRequest: pollfd {
      pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
    }

    /// Returns the next event; nil if there is none. Ignores unrelated messages.
    public func nextEvent() -> SessionEvent? {
      for _ in 0..<Self.messagesATime {
        guard let message = socket.next() else { break }
        switch conversation.take(message) {
        case .event(let event): return event
        case .refusal(let request, let refusal):
          refuse(request, refusal)
          return .invalid(request, refusal)
        case .nothing: break
        }
      }
      return nil
    }

    /// Reports to the session manager that a request has been done.
    public func answer(_ request: SessionRequest, _ message: String) {
      socket.send("/reply", [.string(request.rawValue), .string(message)])
    }

    /// Reports to the session manager that a request could not be done.
    public func refuse(_ request: SessionRequest, _ refusal: SessionRefusal) {
      socket.send(
        "/error",
        [
          .string(request.rawValue), .integer(refusal.code.rawValue), .string(refusal.message),
        ])
    }

    /// Reports to the session manager whether there are unsaved changes, if that has changed.
    public func tell(isDirty: Bool) {
      guard isDirty != self.isDirty else { return }
      self.isDirty = isDirty
      socket.send(isDirty ? "/nsm/client/is_dirty" : "/nsm/client/is_clean", [])
    }
  }
#else
  /// A program in a session of a session manager. This build lacks liblo, so no program can join one.
  public final class SessionClient {
    /// Whether this build includes session management.
    public static var isBuiltIn: Bool { false }

    private init() {}

    /// Throws ``SessionFailure/notBuiltIn``.
    public static func join(
      _ url: SessionManagerURL, as announcement: SessionAnnouncement, withinSeconds seconds: Double,
      isCancelled: () -> Bool
    ) throws(SessionFailure) -> (client: SessionClient, location: SessionLocation) {
      throw .notBuiltIn
    }

    /// A descriptor of -1: there is nothing to wait for.
    public var pollRequest: pollfd { pollfd(fd: -1, events: 0, revents: 0) }

    /// Returns nil.
    public func nextEvent() -> SessionEvent? { nil }

    /// Does nothing.
    public func answer(_ request: SessionRequest, _ message: String) {}

    /// Does nothing.
    public func refuse(_ request: SessionRequest, _ refusal: SessionRefusal) {}

    /// Does nothing.
    public func tell(isDirty: Bool) {}
  }
#endif
