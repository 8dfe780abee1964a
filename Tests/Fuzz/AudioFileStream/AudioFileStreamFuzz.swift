// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser

/// Parses the input unchanged: it must yield the same in any slices, and survive seeks, stated lengths,
/// discontinuities and repositions in between.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAudioFileStream(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe [UInt8](UnsafeBufferPointer(start: data, count: count))
  guard input.count > 4 else { return 0 }
  let stream = Array(input[4...])
  fuzzSlicing(stream, hint: fuzzHint(input[1]), seed: UInt64(input[0]))
  jumpAbout(
    stream, hint: fuzzHint(input[1]), seed: UInt64(input[2]) << 8 | UInt64(input[3]))
  return 0
}

private func jumpAbout(_ input: [UInt8], hint: AudioFileTypeID?, seed: UInt64) {
  var random = FuzzRandom(state: seed)
  var options = AudioFileStreamOptions()
  options.canReposition = random.next(3) == 0
  options.pictureByteLimit = random.next(2) * 1000
  var parser = AudioFileStream(hint: hint, options: options)
  if random.next(2) == 0 {
    parser.tell(totalByteCount: Int64(input.count + random.next(9)), tail: input.span)
  }
  var listener = FuzzListener(input: nil)
  var place = 0
  do throws(AudioFileStreamError) {
    for _ in 0..<200 {
      switch random.next(12) {
      case 0:
        let packet = random.next(10) == 0 ? Int.max - random.next(3) : random.next(400) - 3
        guard let target = try? parser.seek(toPacket: Int64(packet)) else { continue }
        precondition(target.byteOffset >= 0 && target.packet == Int64(packet))
        place = Int(clamping: (try parser.dataOffset) + target.byteOffset)
        precondition(parser.nextByteOffset == Int64(place), "the seek leads elsewhere")
        listener.restart()
      case 1 where !options.canReposition:
        place = random.next(input.count + 1)
        listener.restart()
        try parser.parse(Span(), discontinuity: true, listener: &listener)
      case 2:
        try parser.finish(listener: &listener)
      default:
        if options.canReposition {
          let next = Int(clamping: parser.nextByteOffset)
          if next < place { listener.restart() }
          place = next
        }
        guard place < input.count else { continue }
        let count = min(input.count - place, random.next([2, 40, 1500, 9000][random.next(4)]))
        let slice = input.span.extracting(place..<place + count)
        do throws(AudioFileStreamError) {
          try parser.parse(slice, listener: &listener)
        } catch {
          if error.code != .illegalOperation { throw error }
        }
        place += count
      }
    }
  } catch {
    precondition(!error.message.isEmpty)
  }
}
