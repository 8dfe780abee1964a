// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser

/// Parses an input that can be read from any place, each slice where the parser wants to read on.
///
/// - Parameter readCount: how many slices may be read; a parser that goes to and fro without end is
///   stopped, which is told as a failure.
func parseRepositioning(
  _ bytes: [UInt8], slice: Int = 1000, options: AudioFileStreamOptions = .repositioning,
  knowsLength: Bool = true, readCount: Int = 100_000
) -> (recorder: Recorder, error: AudioFileStreamError?, bytesRead: Int) {
  var stream = AudioFileStream(options: options)
  if knowsLength { stream.tell(totalByteCount: Int64(bytes.count)) }
  return parseRepositioning(bytes, slice: slice, with: &stream, readCount: readCount)
}

func parseRepositioning(
  _ bytes: [UInt8], slice: Int, with stream: inout AudioFileStream, readCount: Int = 100_000
) -> (recorder: Recorder, error: AudioFileStreamError?, bytesRead: Int) {
  var recorder = Recorder()
  var bytesRead = 0
  var expected: Int64 = 0
  do throws(AudioFileStreamError) {
    for _ in 0..<readCount {
      let place = stream.nextByteOffset
      if place != expected { recorder.restart() }
      if place >= bytes.count {
        try stream.finish(listener: &recorder)
        if stream.isFinished { return (recorder, nil, bytesRead) }
        continue
      }
      let end = min(bytes.count, Int(place) + slice)
      try stream.parse(bytes.span.extracting(Int(place)..<end), listener: &recorder)
      bytesRead += end - Int(place)
      expected = Int64(end)
    }
    recorder.failures.append("the parser reads on without end")
    return (recorder, nil, bytesRead)
  } catch {
    return (recorder, error, bytesRead)
  }
}

extension AudioFileStreamOptions {
  /// Any byte can be read at any time.
  static var repositioning: AudioFileStreamOptions {
    var options = AudioFileStreamOptions()
    options.canReposition = true
    return options
  }
}
