// SPDX-License-Identifier: MIT

import AudioModel
import Metering
import RenderCore

/// The loudness of the output, from a capture of the outputs.
struct LoudnessReading: ~Copyable {
  private var reader: CaptureReader
  private var meter: LoudnessMeter?

  init(_ reader: consuming CaptureReader, sampleRate: Double) {
    meter = LoudnessMeter(sampleRate: sampleRate, channelCount: reader.channelCount)
    self.reader = reader
  }

  /// Ends the capture.
  func end(in renderer: Renderer) {
    renderer.remove(reader)
  }

  /// Returns the loudness including the frames since the last call; nil if loudness is not measured.
  mutating func take() -> Loudness? {
    let channels = reader.channelCount
    while true {
      var samples: [Float] = []
      let item = reader.read { frames, channel, span in
        if channel == 0 { samples = [Float](repeating: 0, count: frames.frameCount * channels) }
        for index in span.indices { samples[index * channels + channel] = span[index] }
      }
      if item == .empty { return meter?.loudness }
      meter?.add(interleaved: samples.span)
    }
  }
}
