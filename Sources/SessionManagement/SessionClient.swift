// SPDX-License-Identifier: MIT

public import Glibc

#if DRAWBAR_LIBLO
  /// A program in a session of the Non or New Session Manager (NSM API 1.1, Open Sound Control over UDP).
  ///
  /// It has no thread: its owner waits for ``pollRequest`` among whatever else it waits for, takes events, and
  /// answers those that ask for something. After ``join(_:as:withinSeconds:isCancelled:)`` nothing in it waits.
  /// All from one thread, which is not the render thread.
  public final class SessionClient {
    private let socket: SessionSocket
    private var conversation = SessionConversation()
    private var isDirty = false

    /// Messages that are taken before the owner's other work goes on.
    private static let messagesATime = 64

    /// Whether this build can do it at all.
    public static var isBuiltIn: Bool { true }

    private init(_ socket: SessionSocket) {
      self.socket = socket
    }

    /// Announces the program and waits for its place in the session.
    ///
    /// - Parameters:
    ///   - url: where the session manager listens.
    ///   - announcement: what it is told.
    ///   - seconds: how long it is waited for, all in all.
    ///   - isCancelled: asked about ten times a second.
    /// - Returns: the client, and the place: ``SessionRequest/open``, which is still to be answered.
    /// - Throws: ``SessionFailure``: why there is no session for this program.
    public static func join(
      _ url: SessionManagerURL, as announcement: SessionAnnouncement, withinSeconds seconds: Double,
      isCancelled: () -> Bool
    ) throws(SessionFailure) -> (client: SessionClient, place: SessionPlace) {
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
        case .open(let place):
          socket.reportsRefusals(false)
          return (client, place)
        case .refused(let code, let message): throw .refused(code: code, message: message)
        case .invalid(.open, let refusal): throw .unusablePlace(refusal.message)
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

    /// What to wait for with poll(2).
    public var pollRequest: pollfd {
      pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
    }

    /// What has come next; nil when there is nothing. What does not belong here is ignored.
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

    /// Tells that a request has been done.
    public func answer(_ request: SessionRequest, _ message: String) {
      socket.send("/reply", [.string(request.rawValue), .string(message)])
    }

    /// Tells that a request could not be done.
    public func refuse(_ request: SessionRequest, _ refusal: SessionRefusal) {
      socket.send(
        "/error",
        [
          .string(request.rawValue), .integer(refusal.code.rawValue), .string(refusal.message),
        ])
    }

    /// Tells whether there is something that was not saved, where that has changed.
    public func tell(isDirty: Bool) {
      guard isDirty != self.isDirty else { return }
      self.isDirty = isDirty
      socket.send(isDirty ? "/nsm/client/is_dirty" : "/nsm/client/is_clean", [])
    }
  }
#else
  /// A program in a session of a session manager. This build has no library for that, so there never is one.
  public final class SessionClient {
    /// Whether this build can do it at all.
    public static var isBuiltIn: Bool { false }

    private init() {}

    /// Throws ``SessionFailure/notBuiltIn``.
    public static func join(
      _ url: SessionManagerURL, as announcement: SessionAnnouncement, withinSeconds seconds: Double,
      isCancelled: () -> Bool
    ) throws(SessionFailure) -> (client: SessionClient, place: SessionPlace) {
      throw .notBuiltIn
    }

    /// Nothing to wait for.
    public var pollRequest: pollfd { pollfd(fd: -1, events: 0, revents: 0) }

    /// There is none.
    public func nextEvent() -> SessionEvent? { nil }

    /// Tells nobody.
    public func answer(_ request: SessionRequest, _ message: String) {}

    /// Tells nobody.
    public func refuse(_ request: SessionRequest, _ refusal: SessionRefusal) {}

    /// Tells nobody.
    public func tell(isDirty: Bool) {}
  }
#endif
