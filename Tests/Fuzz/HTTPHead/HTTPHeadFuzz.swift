// SPDX-License-Identifier: MIT

import AudioModel

@testable import ByteSources

/// Reads the input as the head of an answer, as a station's metadata block, and as a body with metadata
/// between the sound. The result is bounded and clean, and does not depend on the slicing of the body.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTPHead(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe [UInt8](UnsafeBufferPointer(start: data, count: count))
  checkHead(input)
  let block = ICYMetadataBlock(input)
  check(text: block.title, input)
  check(text: block.url, input)
  if let first = input.first { checkBody(Array(input.dropFirst()), interval: Int(first) + 1) }
  return 0
}

private func checkHead(_ input: [UInt8]) {
  var head = HTTPResponse()
  for line in input.split(separator: 0x0A, omittingEmptySubsequences: false) {
    let wasComplete = head.isComplete
    let before = head
    let bytes = Array(line) + [0x0A]
    head.consume(bytes.span)
    let isStatus = bytes.starts(with: "HTTP/".utf8) || bytes.starts(with: "ICY ".utf8)
    precondition(!wasComplete || isStatus || head == before, "a trailer changed the head")
  }
  precondition((0...999).contains(head.status), "a status of more than three digits")
  precondition(head.metadataInterval ?? 1 > 0)
  if let range = head.contentRange {
    precondition(range.first <= range.last, "a part ends before it begins")
    precondition(range.total.map { range.last < $0 } ?? true, "a part ends behind the whole")
  }
  precondition(!(head.isRefusal && head.isSuccess))
  let station = head.station
  for text in [
    head.contentType, head.entityTag, head.lastModified, head.mediaType, station?.name,
    station?.genre,
    station?.description, station?.url,
  ] {
    check(text: text, input)
  }
  _ = head.continuation
  _ = head.isRepositionable
  _ = head.isLaterPart
}

private func check(text: String?, _ input: [UInt8]) {
  guard let text else { return }
  precondition(!text.unicodeScalars.contains(where: \.isControlling), "text that steers a terminal")
  // An escaped scalar has up to ten characters.
  precondition(text.utf8.count <= input.count * 10)
}

private func checkBody(_ body: [UInt8], interval: Int) {
  let whole = demultiplex(body, interval: interval, pieces: body.count)
  for pieces in [1, 3, 16] {
    let sliced = demultiplex(body, interval: interval, pieces: pieces)
    precondition(whole.sound == sliced.sound, "the sound depends on the slicing")
    precondition(whole.blocks == sliced.blocks, "the metadata depends on the slicing")
  }
}

private func demultiplex(
  _ body: [UInt8], interval: Int, pieces: Int
) -> (sound: [UInt8], blocks: [[UInt8]]) {
  var demuxer = ICYDemuxer(interval: interval)
  var sound: [UInt8] = []
  var blocks: [[UInt8]] = []
  var start = 0
  while start < body.count {
    var piece = Array(body[start..<min(start + max(1, pieces), body.count)])
    start += piece.count
    var bytes = piece.mutableSpan
    let kept = demuxer.removeMetadata(from: &bytes) { soundBytes, block in
      precondition(soundBytes <= body.count && block.count <= 16 * 255)
      blocks.append(block)
    }
    sound += piece[..<kept]
  }
  return (sound, blocks)
}
