// SPDX-License-Identifier: MIT

internal import AudioModel

extension AudioConverter {
  /// Converts linear PCM to linear PCM of the same rate, all at once and without a callback. Core
  /// Audio's `AudioConverterConvertBuffer` and `AudioConverterConvertComplexBuffer`.
  ///
  /// It is independent of a stream that is being filled.
  ///
  /// - Parameters:
  ///   - input: whole frames: one buffer, or one of the same size for each channel.
  ///   - output: room for as many frames.
  /// - Returns: bytes written to each output buffer.
  /// - Throws: `'op??'` for a compressed source or differing rates, `'insz'` and `'otsz'` for buffers
  ///   that do not fit.
  @discardableResult
  public func convert(
    _ input: [UnsafeRawBufferPointer], to output: [UnsafeMutableRawBufferPointer]
  ) throws(AudioConversionError) -> Int {
    guard let inputSamples, ratePlan == nil else {
      throw AudioConversionError(
        .operationNotSupported,
        "only linear PCM of one rate is converted without a callback")
    }
    let sizes = unsafe input.prefix(inputSamples.planes).map(\.count)
    guard sizes.count == inputSamples.planes, let size = sizes.first,
      sizes.allSatisfy({ $0 == size }), size % inputSamples.bytesPerFrame == 0
    else {
      throw AudioConversionError(
        .invalidInputSize,
        "input of \(sizes) bytes where frames have \(inputSamples.bytesPerFrame)")
    }
    let frames = size / inputSamples.bytesPerFrame
    let written = frames * outputSamples.bytesPerFrame
    let rooms = unsafe output.prefix(outputSamples.planes).map(\.count)
    guard rooms.count == outputSamples.planes, rooms.allSatisfy({ $0 >= written }) else {
      throw AudioConversionError(
        .invalidOutputSize, "output of \(rooms) bytes where \(written) are needed")
    }
    guard frames > 0 else { return 0 }
    let sources = unsafe input.prefix(inputSamples.planes).compactMap(\.baseAddress)
    let targets = unsafe output.prefix(outputSamples.planes).compactMap(\.baseAddress)
    var step = DecodedFrames(channels: inputSamples.channels)
    var place = 0
    while place < frames {
      let count = min(frames - place, 1024)
      unsafe step.replace(frames: count) { target in
        let addresses = unsafe sources.map { unsafe $0 + place * inputSamples.bytesPerFrame }
        unsafe inputSamples.read(addresses, frames: count, into: target)
      }
      unsafe step.read { samples in
        unsafe write(samples, frames: count, to: targets, at: place)
      }
      place += count
    }
    return written
  }
}
