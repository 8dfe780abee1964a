// SPDX-License-Identifier: MIT

internal import AudioModel
internal import CMPG123

/// A decoder of MPEG audio, one packet at a time, with libmpg123 in reader mode.
///
/// libmpg123 reads through a callback that supplies exactly the bytes of the current packet and then reports the
/// end, so each decode takes one packet and returns its frames. Other code skips the Xing/Info packet, trims and
/// resamples: this decoder receives audio packets only, does no gapless cut of its own, and returns float samples at
/// the stream's own rate.
///
/// Real-time: `decode` is safe; creation and destruction are not.
@safe
struct MPEGAudioDecoder: ~Copyable {
  /// The bytes that the reader callback supplies. Lives at a fixed address, known to libmpg123.
  @unsafe struct Reader {
    var bytes: UnsafeRawPointer?
    var remaining: Int
  }

  private let handle: OpaquePointer
  private let reader: UnsafeMutablePointer<Reader>
  /// Samples for a packet that cannot be decoded.
  private let silence: UnsafeMutablePointer<Float>
  private let channels: Int
  /// Whether the handle already has the first packet's bytes.
  private var holdsFirstPacket: Bool
  private var silenced = SilencedSound()

  /// Frames in the longest packet, layers II and III of MPEG-1.
  static var maximumFramesPerPacket: Int { @_noLocks get { 1152 } }

  /// Makes a decoder and passes it the first packet, so that libmpg123 sets up its output format (the only allocation
  /// after opening) before the render thread sees it. The first call of `decode` must be for that same packet.
  ///
  /// - Parameter freeFormatBytes: bytes of a free-format frame without its padding, else nil: libmpg123 would
  ///   otherwise search for the next header, which it does not receive.
  init(
    channels: Int, firstPacket: UnsafeRawBufferPointer, freeFormatBytes: Int?
  ) throws(AudioConverterError) {
    var code: Int32 = 0
    guard let handle = unsafe mpg123_new(nil, &code) else {
      throw AudioConverterError.decoderUnavailable(library: "libmpg123", Self.text(code))
    }
    let reader = UnsafeMutablePointer<Reader>.allocate(capacity: 1)
    unsafe reader.initialize(
      to: Reader(bytes: firstPacket.baseAddress, remaining: firstPacket.count))
    code = unsafe Self.open(
      handle, reader: reader, channels: channels, freeFormatBytes: freeFormatBytes)
    if code == MPG123_OK.rawValue {
      var rate = 0
      var channelCount: Int32 = 0
      var encoding: Int32 = 0
      code = unsafe mpg123_getformat(handle, &rate, &channelCount, &encoding)
    }
    guard code == MPG123_OK.rawValue else {
      unsafe mpg123_delete(handle)
      unsafe reader.deallocate()
      throw AudioConverterError.decoderRefusedFirstPacket(Self.text(code))
    }
    unsafe self.handle = handle
    unsafe self.reader = reader
    self.channels = channels
    let count = Self.maximumFramesPerPacket * channels
    unsafe silence = UnsafeMutablePointer<Float>.allocate(capacity: count)
    unsafe silence.initialize(repeating: 0, count: count)
    holdsFirstPacket = true
  }

  deinit {
    unsafe mpg123_delete(handle)
    unsafe reader.deallocate()
    unsafe silence.deallocate()
  }

  /// Decodes one packet. If it cannot be decoded, returns silence of its length, so that the time line does not shift.
  /// A packet in which libmpg123 replaces sound by zeros counts as not decoded.
  @_noLocks
  mutating func decode(_ packet: FilledPacket) -> PacketDecoder.Output {
    if holdsFirstPacket {
      holdsFirstPacket = false
    } else {
      unsafe reader.pointee = Reader(bytes: packet.bytes, remaining: packet.byteCount)
    }
    let frames = min(packet.frameCount, Self.maximumFramesPerPacket)
    let wanted = frames * channels * MemoryLayout<Float>.stride
    var position: Int = 0
    var audio: UnsafeMutablePointer<UInt8>?
    var byteCount = 0
    var code = unsafe mpg123_decode_frame(handle, &position, &audio, &byteCount)
    if code == MPG123_NEW_FORMAT.rawValue {
      silenced.reset()
      code = unsafe mpg123_decode_frame(handle, &position, &audio, &byteCount)
    }
    if code == MPG123_OK.rawValue, byteCount == wanted, let audio = unsafe audio {
      let samples = unsafe UnsafeRawPointer(audio).assumingMemoryBound(to: Float.self)
      let isWhole = unsafe silenced.isWhole(
        packet.bytes, byteCount: packet.byteCount, samples: samples, frames: frames,
        channels: channels)
      return unsafe PacketDecoder.Output(samples: samples, frames: frames, isDecoded: isWhole)
    }
    return unsafe PacketDecoder.Output(
      samples: UnsafePointer(silence), frames: frames, isDecoded: false)
  }

  private static func open(
    _ handle: OpaquePointer, reader: UnsafeMutablePointer<Reader>, channels: Int,
    freeFormatBytes: Int?
  ) -> Int32 {
    let flags =
      MPG123_QUIET.rawValue | MPG123_FORCE_FLOAT.rawValue | MPG123_NO_READAHEAD.rawValue
      | MPG123_IGNORE_INFOFRAME.rawValue
    unsafe mpg123_param2(handle, Int32(MPG123_ADD_FLAGS.rawValue), Int(flags), 0)
    unsafe mpg123_param2(
      handle, Int32(MPG123_REMOVE_FLAGS.rawValue), Int(MPG123_GAPLESS.rawValue), 0)
    if let freeFormatBytes {
      // libmpg123 counts the bytes after the four of the header.
      unsafe mpg123_param2(
        handle, Int32(MPG123_FREEFORMAT_SIZE.rawValue), freeFormatBytes - 4, 0)
    }
    // libmpg123 converts packets with another channel count to the stream's: their bit reservoir continues.
    let mode = channels == 1 ? MPG123_MONO.rawValue : MPG123_STEREO.rawValue
    unsafe mpg123_format_none(handle)
    for rate in [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000] {
      unsafe mpg123_format(
        handle, rate, Int32(mode),
        Int32(MPG123_ENC_FLOAT_32.rawValue))
    }
    unsafe mpg123_replace_reader_handle(handle, readPacketBytes, refuseToSeek, nil)
    return unsafe mpg123_open_handle(handle, reader)
  }

  private static func text(_ code: Int32) -> String {
    unsafe mpg123_plain_strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
  }
}

/// libmpg123's read callback. Runs on the render thread, inside `mpg123_decode_frame`.
@_noLocks
func readPacketBytes(
  _ context: UnsafeMutableRawPointer?, _ target: UnsafeMutableRawPointer?, _ count: Int
) -> Int {
  guard let context = unsafe context, let target = unsafe target else { return -1 }
  let reader = unsafe context.assumingMemoryBound(to: MPEGAudioDecoder.Reader.self)
  guard let bytes = unsafe reader.pointee.bytes else { return 0 }
  let taken = unsafe min(count, reader.pointee.remaining)
  unsafe target.copyMemory(from: bytes, byteCount: taken)
  unsafe reader.pointee.bytes = bytes + taken
  unsafe reader.pointee.remaining -= taken
  return taken
}

/// libmpg123's seek callback: a ring of packets has no file position.
@_noLocks
func refuseToSeek(_ context: UnsafeMutableRawPointer?, _ offset: Int, _ whence: Int32) -> Int {
  -1
}
