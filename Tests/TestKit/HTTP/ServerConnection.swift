// SPDX-License-Identifier: MIT

import Glibc

/// One connection of a `LoopbackHTTPServer`, on its own thread.
struct ServerConnection {
  private let descriptor: Int32
  private let server: LoopbackHTTPServer
  private var received: [UInt8] = []

  /// Bytes of the body sent at once.
  private static let pieceSize = 32 * 1024

  init(_ descriptor: Int32, _ server: LoopbackHTTPServer) {
    self.descriptor = descriptor
    self.server = server
  }

  /// Answers requests until the client or a plan ends the connection.
  mutating func run() {
    while let request = readRequest() {
      let path = String(request.target.prefix { $0 != "?" })
      let handler = server.state.withLock { state in
        state.requests.append(request)
        return state.handlers[path]
      }
      let plan = handler?(request) ?? .status(404, "Not Found")
      guard answer(request, plan, path) else { return }
    }
  }

  /// Sends an answer, and returns whether another request may follow.
  private func answer(
    _ request: LoopbackHTTPServer.Request, _ plan: ResponsePlan, _ path: String
  ) -> Bool {
    guard pause(nanoseconds: plan.delayNanoseconds) else { return false }
    guard let whole = BodyReader(plan.body) else { return false }
    let part = RangeAnswer(request, plan, byteCount: whole.byteCount)
    if part.isRefusal { return sendHead(plan, part, 0) }
    let body = (start: part.byteOffset, byteCount: part.endOffset - part.byteOffset)
    let metadata = request.fields["icy-metadata"] == "1" ? plan.metadata : nil
    guard sendHead(plan, part, body.byteCount, metadata) else { return false }
    var isChunked = false
    var mayContinue = true
    switch plan.framing {
    case .contentLength: break
    case .announced(let count): mayContinue = count == body.byteCount
    case .chunked: isChunked = true
    case .untilClose: mayContinue = false
    }
    var interleaver = MetadataInterleaver(metadata)
    var pace = Pace(plan.bytesPerSecond)
    var offset: UInt64 = 0
    var sent: UInt64 = 0
    let (breakpoint, fault) = Self.breakpoint(plan.fault)
    if breakpoint == 0, !endure(fault) { return false }
    while offset < body.byteCount {
      let allowed = pace.allowance(UInt64(Self.pieceSize))
      guard allowed > 0 else {
        guard pause(nanoseconds: pace.nanosecondsToNext) else { return false }
        continue
      }
      let piece = whole.read(
        at: body.start + offset, Int(min(body.byteCount - offset, allowed)))
      offset += UInt64(piece.count)
      pace.spend(UInt64(piece.count))
      var bytes = interleaver.interleave(piece)[...]
      if sent < breakpoint, breakpoint - sent <= bytes.count {
        let count = Int(breakpoint - sent)
        guard send(Array(bytes.prefix(count)), isChunked, path), endure(fault) else { return false }
        bytes = bytes.dropFirst(count)
        sent = breakpoint
      }
      guard send(Array(bytes), isChunked, path) else { return false }
      sent += UInt64(bytes.count)
    }
    return (!isChunked || send(Array("0\r\n\r\n".utf8))) && mayContinue
  }

  /// Sends a piece of the body, as a chunk if the answer is chunked.
  private func send(_ piece: [UInt8], _ isChunked: Bool, _ path: String) -> Bool {
    // An empty chunk would be the last one.
    if piece.isEmpty { return true }
    let head = isChunked ? Array("\(String(piece.count, radix: 16))\r\n".utf8) : []
    return send(head) && send(piece, countedFor: path)
      && (!isChunked || send(Array("\r\n".utf8)))
  }

  private func sendHead(
    _ plan: ResponsePlan, _ part: RangeAnswer, _ bodyCount: UInt64,
    _ metadata: ResponsePlan.Metadata? = nil
  ) -> Bool {
    guard let statusLine = part.statusLine ?? plan.statusLine else { return true }
    var fields = plan.fields + part.fields
    if let metadata { fields.append(("icy-metaint", "\(metadata.interval)")) }
    switch plan.framing {
    case .contentLength: fields.append(("Content-Length", "\(bodyCount)"))
    case .announced(let count): fields.append(("Content-Length", "\(count)"))
    case .chunked: fields.append(("Transfer-Encoding", "chunked"))
    case .untilClose: break
    }
    let lines = [statusLine] + fields.map { "\($0.name): \($0.value)" } + ["", ""]
    var head = Array(lines.joined(separator: "\r\n").utf8)[...]
    if case .finishInHead(let count) = plan.fault {
      _ = send(Array(head.prefix(min(count, head.count - 1))))
      return false
    }
    var pace = Pace(plan.headBytesPerSecond)
    while !head.isEmpty {
      let piece = Array(head.prefix(Int(pace.allowance(UInt64(head.count)))))
      if piece.isEmpty, !pause(nanoseconds: pace.nanosecondsToNext) { return false }
      guard send(piece) else { return false }
      pace.spend(UInt64(piece.count))
      head = head.dropFirst(piece.count)
    }
    return true
  }

  /// Returns the fault, and its byte offset in the body; beyond any body if it has none.
  private static func breakpoint(_ fault: ResponsePlan.Fault) -> (UInt64, ResponsePlan.Fault) {
    switch fault {
    case .none, .finishInHead: (.max, fault)
    case .stall(let bytes, _), .finish(let bytes), .reset(let bytes): (bytes, fault)
    }
  }

  /// Executes the fault, and returns whether the answer continues after it.
  private func endure(_ fault: ResponsePlan.Fault) -> Bool {
    switch fault {
    case .none:
      return true
    case .stall(_, let gate):
      return pause(nanoseconds: .max, until: gate)
    case .finish, .finishInHead:
      return false
    case .reset:
      var option = linger(l_onoff: 1, l_linger: 0)
      unsafe setsockopt(
        descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
      return false
    }
  }

  /// Waits for a time, or until a gate opens, and returns false if the client closed the connection meanwhile.
  private func pause(nanoseconds: UInt64, until gate: Gate? = nil) -> Bool {
    guard nanoseconds > 0 else { return true }
    // 0x2000 is POLLRDHUP, which Swift's Glibc module lacks.
    let clientHasClosed: Int16 = 0x2000
    var entries = [pollfd(fd: descriptor, events: clientHasClosed, revents: 0)]
    if let gate { entries.append(pollfd(fd: gate.readEnd, events: Int16(POLLIN), revents: 0)) }
    let milliseconds =
      nanoseconds == .max ? -1 : Int32(clamping: nanoseconds / 1_000_000 + 1)
    _ = unsafe poll(&entries, nfds_t(entries.count), milliseconds)
    return entries[0].revents == 0
  }

  private func send(_ bytes: [UInt8], countedFor path: String? = nil) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { bytes in
        unsafe Glibc.send(descriptor, bytes.baseAddress!, bytes.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
      if let path {
        server.state.withLock { $0.bodyBytesSent[path, default: 0] += UInt64(count) }
      }
    }
    return true
  }

  private mutating func readRequest() -> LoopbackHTTPServer.Request? {
    let separator = Array("\r\n\r\n".utf8)
    while true {
      if let end = received.indices.first(where: { received[$0...].starts(with: separator) }) {
        let head = String(decoding: received[..<end], as: UTF8.self)
        received.removeFirst(end + separator.count)
        return Self.request(head)
      }
      var piece = [UInt8](repeating: 0, count: 4096)
      let count = unsafe recv(descriptor, &piece, piece.count, 0)
      guard count > 0, received.count < 64 * 1024 else { return nil }
      received += piece[..<count]
    }
  }

  private static func request(_ head: String) -> LoopbackHTTPServer.Request? {
    let lines = head.utf8.split(separator: 0x0D).map { line in
      String(decoding: line.drop { $0 == 0x0A }, as: UTF8.self)
    }
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count == 3 else { return nil }
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      fields[line[..<colon].lowercased()] = String(value)
    }
    return LoopbackHTTPServer.Request(
      method: String(words[0]), target: String(words[1]), fields: fields)
  }
}
