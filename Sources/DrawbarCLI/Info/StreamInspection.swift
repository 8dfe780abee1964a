// SPDX-License-Identifier: MIT

import ByteSources
import PacketParser
import PlayerEngine

/// A pass over a file or stream that collects its properties.
final class StreamInspection {
  /// The range to read.
  enum Depth {
    /// Up to the first packet. A local file whose duration would be a guess is read to the end.
    case head
    /// To the end, for exact counts. Of a network stream of unknown length, which may have no end, only the head.
    case whole
    /// To the end, if there is one.
    case toTheEnd
  }

  /// The facts found so far. Complete once `run` has returned.
  private(set) var sheet: InfoSheet
  private let driver: StreamDriver<PacketObserver>?
  private let depth: Depth
  private let listsPackets: Bool
  private let isWeb: Bool
  /// Whether the bytes cannot be read a second time by opening the location again.
  let isReadOnce: Bool

  /// Opens a location. If that fails, the error is in `sheet`.
  ///
  /// - Parameters:
  ///   - opened: the location, if it has been opened already.
  ///   - configuration: the options for requests to servers.
  ///   - pictureByteLimit: the maximum size in bytes of a picture that is kept.
  ///   - pipePictureByteLimit: the same for a source that can be read only once.
  init(
    _ location: String, opened: (any ByteSource)? = nil,
    source configuration: ByteSourceConfiguration, depth: Depth, listsPackets: Bool,
    sliceBytes: Int,
    pictureByteLimit: Int = 0, pipePictureByteLimit: Int = 0
  ) {
    self.depth = depth
    self.listsPackets = listsPackets
    isWeb = location.isWebLocation
    sheet = InfoSheet(location: location)
    do throws(ByteSourceError) {
      let source =
        if let opened { opened } else {
          try openByteSource(location, configuration: configuration)
        }
      sheet.location = source.information.name
      sheet.path = location.filePath
      isReadOnce = location == "-" || !isWeb && !source.information.isRepositionable
      driver = StreamDriver(
        source, pictureByteLimit: isReadOnce ? pipePictureByteLimit : pictureByteLimit,
        sliceBytes: sliceBytes,
        listener: PacketObserver(
          listsPackets: listsPackets, digestsPackets: depth == .whole))
    } catch {
      // A URL may contain a password; the error's location does not.
      if isWeb { sheet.location = error.location }
      sheet.error = "\(error)"
      driver = nil
      isReadOnce = false
    }
  }

  /// Whether the head is known.
  var isReady: Bool { driver?.listener.head != nil }

  /// Returns the packets since the last call.
  func takePackets() -> PacketList {
    defer { driver?.listener.packets?.removeAll() }
    return driver?.listener.packets ?? PacketList()
  }

  /// Reads up to the requested depth.
  ///
  /// - Parameter observe: called after each step; returns false to stop.
  func run(_ observe: (StreamInspection) -> Bool = { _ in true }) {
    guard let driver else { return }
    defer { driver.source.close() }
    var hasEnded = false
    do throws(PlayerError) {
      while !hasEnded {
        hasEnded = try driver.step(timeoutNanoseconds: 1_000_000_000) == .ended
        fillIn(from: driver)
        guard observe(self) else { return }
        if isReady, stopsAtHead(driver) { break }
      }
      if !isReady {
        throw PlayerError(
          location: sheet.location,
          reason: .parser(AudioFileStreamError(.invalidFile, at: 0, "there is no audio in it")))
      }
    } catch {
      fillIn(from: driver)
      guard observe(self) else { return }
      sheet.error = "\(error)"
      hasEnded = true
    }
    guard hasEnded, !stopsAtHead(driver) else { return }
    let account = driver.listener.account
    sheet.account = account
    if sheet.error == nil, let text = account.lossDescription {
      sheet.error = "\(sheet.location): \(text)"
    }
    sheet.summary = StreamSummary(driver.stream)
    if let head = driver.listener.head { sheet.summary.keepFormat(of: head) }
    guard isReady else { return }
    if driver.listener.needsDigest {
      sheet.packetsSHA = driver.listener.digest?.finish()
      if sheet.packetsSHA == nil, sheet.error == nil { sheet.error = CryptoLibrary.absence }
    }
    sheet.packets = driver.listener.packets
  }

  private func fillIn(from driver: StreamDriver<PacketObserver>) {
    if let head = driver.listener.head { sheet.summary = head }
    // A server's answer is unknown before its first byte.
    let isAnswered = !isWeb || isReady || driver.stream.nextByteOffset > 0
    if isAnswered { sheet.isRepositionable = driver.source.information.isRepositionable }
  }

  private func stopsAtHead(_ driver: StreamDriver<PacketObserver>) -> Bool {
    switch depth {
    case .head:
      isWeb || isReadOnce || driver.listener.head?.duration?.isExact == true
    case .whole: isWeb && driver.source.information.byteCount == nil
    case .toTheEnd: false
    }
  }
}
