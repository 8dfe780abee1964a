// SPDX-License-Identifier: MIT

#if DRAWBAR_SDBUS
  internal import CSDBus
  internal import Glibc

  /// The names that MPRIS defines.
  enum MPRISName {
    static let path = "/org/mpris/MediaPlayer2"
    static let root = "org.mpris.MediaPlayer2"
    static let player = "org.mpris.MediaPlayer2.Player"
  }

  extension MPRISService {
    static func rootTable(_ player: MediaPlayerIdentity, _ sdbus: drawbar_sdbus) -> InterfaceTable {
      unsafe InterfaceTable(
        MPRISName.root,
        methods: [InterfaceTable.Method(name: "Raise"), InterfaceTable.Method(name: "Quit")],
        properties: RootProperty.allCases.map { property in
          InterfaceTable.Property(
            name: property.rawValue, signature: property.value(of: player).signature,
            isAnnounced: true, isWritable: false)
        },
        handlers: handlers, sdbus: sdbus)
    }

    static func playerTable(_ sdbus: drawbar_sdbus) -> InterfaceTable {
      unsafe InterfaceTable(
        MPRISName.player,
        methods: RemoteRequest.plainMethods.keys.sorted().map { InterfaceTable.Method(name: $0) }
          + [
            InterfaceTable.Method(name: "Seek", arguments: [("Offset", "x")]),
            InterfaceTable.Method(
              name: "SetPosition", arguments: [("TrackId", "o"), ("Position", "x")]),
            InterfaceTable.Method(name: "OpenUri", arguments: [("Uri", "s")]),
          ],
        signals: [InterfaceTable.Method(name: "Seeked", arguments: [("Position", "x")])],
        properties: PlayerProperty.allCases.map { property in
          InterfaceTable.Property(
            name: property.rawValue, signature: property.value(in: NowPlaying()).signature,
            isAnnounced: property.isAnnounced, isWritable: property.isWritable)
        },
        handlers: handlers, sdbus: sdbus)
    }

    private static var handlers: InterfaceTable.Handlers {
      unsafe InterfaceTable.Handlers(call: handleCall, get: getProperty, set: setProperty)
    }
  }

  extension BusMessage {
    /// The request of a method call; nil if the call contains none.
    fileprivate var request: RemoteRequest? {
      guard let member else { return nil }
      if let plain = RemoteRequest.plainMethods[member] { return plain }
      switch member {
      case "Quit": return .quit
      case "Seek": return read("x").map { .seek(offsetMicroseconds: $0) }
      case "SetPosition":
        guard let track = readText("o"), let place: Int64 = read("x") else { return nil }
        return .setPosition(track: track, microseconds: place)
      case "OpenUri": return readText("s").map { .openURI($0) }
      default: return nil
      }
    }

    /// Returns the request to set a property; nil if there is none.
    fileprivate func request(settingProperty name: String) -> RemoteRequest? {
      switch PlayerProperty(rawValue: name) {
      case .loopStatus: readText("s").map { .setLoopStatus($0) }
      case .rate: read("d").map { .setRate($0) }
      case .volume: read("d").map { .setVolume($0) }
      default: nil
      }
    }
  }

  extension MPRISService {
    /// Takes a request, or sets the error to reply with.
    fileprivate func take(
      _ request: RemoteRequest?, _ error: UnsafeMutablePointer<sd_bus_error>?
    ) -> Int32 {
      guard let request else { return 0 }
      do throws(RequestRefusal) {
        try take(request)
        return 0
      } catch let refusal {
        return unsafe sdbus.sd_bus_error_set(error, refusal.name, refusal.message)
      }
    }
  }

  private func service(_ context: UnsafeMutableRawPointer?) -> MPRISService? {
    unsafe context.map { unsafe Unmanaged<MPRISService>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Handles every method. `Raise` does nothing, as `CanRaise` is false.
  private func handleCall(
    _ call: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<sd_bus_error>?
  ) -> Int32 {
    guard let call = unsafe call, let service = unsafe service(context) else { return -EINVAL }
    let result = unsafe service.take(BusMessage(call, service.sdbus).request, error)
    return result < 0
      ? result
      : unsafe withUnsafePointer(to: service.sdbus) {
        unsafe drawbar_sdbus_reply($0, call)
      }
  }

  private func getProperty(
    _ bus: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ interface: UnsafePointer<CChar>?,
    _ name: UnsafePointer<CChar>?, _ reply: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<sd_bus_error>?
  ) -> Int32 {
    guard let name = unsafe name, let reply = unsafe reply,
      let service = unsafe service(context),
      let value = unsafe service.value(ofProperty: String(cString: name))
    else { return -EINVAL }
    return unsafe BusMessage(reply, service.sdbus).append(value)
  }

  private func setProperty(
    _ bus: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ interface: UnsafePointer<CChar>?,
    _ name: UnsafePointer<CChar>?, _ value: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<sd_bus_error>?
  ) -> Int32 {
    guard let name = unsafe name, let value = unsafe value, let service = unsafe service(context)
    else { return -EINVAL }
    return unsafe service.take(
      BusMessage(value, service.sdbus).request(settingProperty: String(cString: name)), error)
  }
#endif
