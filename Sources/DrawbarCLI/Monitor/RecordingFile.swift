// SPDX-License-Identifier: MIT

import OfflineOutput

/// A file that frames are appended to.
protocol RecordingFile: AnyObject {
  /// Frames written so far. After a failure, the frames in the file.
  var frameCount: UInt64 { get }
  /// - Parameter samples: whole frames, with interleaved channels.
  func write(interleaved samples: [Float]) throws
  func close() throws
}

/// 32-bit float WAVE, RF64 when it outgrows RIFF.
final class WaveRecordingFile: RecordingFile {
  private var writer: WaveFileWriter
  var frameCount: UInt64 { writer.frameCount }

  init(path: String, sampleRate: Int, channels: Int) throws {
    writer = try WaveFileWriter(path: path, sampleRate: sampleRate, channels: channels)
  }

  func write(interleaved samples: [Float]) throws { try writer.write(interleaved: samples.span) }

  func close() throws { try writer.close() }
}

/// 24-bit FLAC.
final class FLACRecordingFile: RecordingFile {
  private var writer: FLACFileWriter
  var frameCount: UInt64 { writer.frameCount }

  init(path: String, sampleRate: Int, channels: Int) throws {
    writer = try FLACFileWriter(path: path, sampleRate: sampleRate, channels: channels)
  }

  func write(interleaved samples: [Float]) throws { try writer.write(interleaved: samples.span) }

  func close() throws { try writer.close() }
}
