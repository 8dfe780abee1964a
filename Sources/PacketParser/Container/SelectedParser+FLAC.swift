// SPDX-License-Identifier: MIT

import AudioModel

/// Checks FLAC in a container that lists its packets. The frames' own headers outrank the container's
/// statement, as in a FLAC file: where they disagree, the new format and a matching cookie are
/// reported.
struct FLACFrameWatch {
  /// Whether the packets are FLAC and listed by their container.
  var isNeeded = false
  /// The container's statement; nil if the packets are not FLAC, or their parser reads the headers.
  fileprivate var stated: FLACStreamInfo?
  /// The stream info that holds for the present frames.
  fileprivate var info: FLACStreamInfo?
  /// Packets of the last run that are still to be delivered, and the notices before them.
  fileprivate var rest: FLACRunRest?
  fileprivate var notices: [ParserStep] = []
  /// Descriptions and bytes that replace the container's while a part of a run is delivered.
  fileprivate(set) var descriptions: [AudioStreamPacketDescription]?
  fileprivate(set) var assembled: [UInt8]?

  /// The stream info that holds for the present frames, if it differs from the container's statement.
  fileprivate(set) var change: FLACStreamInfo?

  /// Sets the container's statement, from the magic cookie or, without one, from the format and a
  /// frame.
  fileprivate mutating func begin(
    _ format: AudioStreamBasicDescription?, cookie: [UInt8], firstFrame: FLACFrameHeader?
  ) {
    guard let format, format.formatID == .flac else { return }
    stated = FLACStreamInfo(magicCookie: cookie.span)
    if cookie.isEmpty, let firstFrame, (1...8).contains(format.channelsPerFrame),
      format.sampleRate >= 1, format.sampleRate < 0x1p20
    {
      stated = FLACStreamInfo(
        sampleRate: Int(format.sampleRate), channels: Int(format.channelsPerFrame),
        bitsPerSample: firstFrame.bitsPerSample > 0 ? firstFrame.bitsPerSample : 16)
    }
    info = stated
  }

  /// Drops the rest of a run, which will not be delivered.
  mutating func forgetRest() {
    (rest, notices, descriptions, assembled) = (nil, [], nil, nil)
  }
}

/// The part of a run that is still to be delivered.
private struct FLACRunRest {
  var run: PacketRun
  /// The descriptions of all packets of the run, with offsets from its first byte.
  var descriptions: [AudioStreamPacketDescription]
  /// The first packet left, and its byte offset in the run.
  var next = 0
  var start = 0
}

extension SelectedParser {
  /// Whether the packets are FLAC in another container. A parser of FLAC files reads the headers
  /// itself.
  var holdsListedFLAC: Bool { facts.dataFormat?.formatID == .flac && facts.fileFormat != .flac }

  /// Delivers a run, in parts if the format changes within it.
  mutating func watch(_ run: PacketRun, _ bytes: Span<UInt8>) -> ParserStep {
    let descriptions = descriptions
    if descriptions.isEmpty { return .packets(run) }
    if flac.stated == nil {
      let header = Self.header(of: descriptions[0], in: run, bytes, assembled, start: 0)
      flac.begin(facts.dataFormat, cookie: details.magicCookie, firstFrame: header)
    }
    guard flac.stated != nil else { return .packets(run) }
    flac.rest = FLACRunRest(run: run, descriptions: descriptions)
    return nextOfRun(bytes) ?? .packets(run)
  }

  /// Returns the next part of the last run, or a notice that precedes it; nil if nothing is left.
  mutating func nextOfRun(_ bytes: Span<UInt8>) -> ParserStep? {
    if !flac.notices.isEmpty { return flac.notices.removeFirst() }
    flac.descriptions = nil
    flac.assembled = nil
    guard let rest = flac.rest, let info = flac.info else { return nil }
    let all = rest.descriptions
    let bytesOfRun = assembled
    var end = rest.next
    var other: FLACFrameHeader?
    while end < all.count {
      let header = Self.header(of: all[end], in: rest.run, bytes, bytesOfRun, start: rest.start)
      if let header, !info.holds(for: header) {
        other = header
        break
      }
      end += 1
    }
    if let other, end == rest.next {
      let stated = flac.stated.flatMap { $0.holds(for: other) ? $0 : nil }
      flac.change = stated == nil ? FLACStreamInfo(other, stated: info) : nil
      flac.info = stated ?? flac.change
      flac.notices = [.found(.magicCookieData)]
      return .found(.dataFormat)
    }
    guard end < all.count || rest.next > 0 else {
      flac.rest = nil
      return .packets(rest.run)
    }
    return part(of: rest, upTo: end)
  }

  private mutating func part(of rest: FLACRunRest, upTo end: Int) -> ParserStep {
    let all = rest.descriptions
    let isLast = end == all.count
    let start = Int64(rest.start)
    flac.descriptions = all[rest.next..<end].map { description in
      var description = description
      description.startOffset -= start
      return description
    }
    var run = rest.run
    run.first += Int64(rest.next)
    run.count = end - rest.next
    let framesPerPacket = Int64(facts.dataFormat?.framesPerPacket ?? 0)
    run.firstFrame? += all[..<rest.next].reduce(0) {
      $0 + (framesPerPacket > 0 ? framesPerPacket : Int64($1.variableFramesInPacket))
    }
    var stop = isLast ? 0 : Int(all[end].startOffset)
    switch rest.run.place {
    case .shown(let byteCount):
      if isLast { stop = byteCount }
      run.place = .shown(byteCount: stop - rest.start)
    case .assembled(let byteOffset):
      let bytes = assembled
      if isLast { stop = bytes.count }
      flac.assembled = Array(bytes[rest.start..<stop])
      run.place = .assembled(byteOffset: byteOffset)
    }
    flac.rest = rest
    flac.rest?.next = end
    flac.rest?.start = stop
    if isLast { flac.rest = nil }
    return .packets(run)
  }

  /// Reads the header of a packet's frame; nil if it has none.
  ///
  /// - Parameter start: the offset in the run of the first byte shown.
  private static func header(
    of packet: AudioStreamPacketDescription, in run: PacketRun, _ shown: Span<UInt8>,
    _ assembled: [UInt8], start: Int
  ) -> FLACFrameHeader? {
    let first = Int(packet.startOffset)
    let end = first + Int(packet.dataByteSize)
    var reading = FLACFrameHeader.Reading.none
    switch run.place {
    case .shown where end - start <= shown.count:
      reading = FLACFrameHeader.read(
        shown.extracting(first - start..<end - start), at: 0, isEnd: true)
    case .assembled where end <= assembled.count:
      reading = FLACFrameHeader.read(assembled.span.extracting(first..<end), at: 0, isEnd: true)
    default: break
    }
    if case .header(let header) = reading { return header }
    return nil
  }
}
