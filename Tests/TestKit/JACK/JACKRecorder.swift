// SPDX-License-Identifier: MIT

internal import CJACK
internal import Synchronization

/// A client of the test that records ports into memory, so that it keeps up with the server at any speed, and that can
/// make the server freewheel.
@safe
public final class JACKRecorder: @unchecked Sendable {
  let client: OpaquePointer
  private let take: UnsafeMutablePointer<Take>
  private let channelCount: Int

  /// The state that the process callback uses.
  @safe
  fileprivate struct Take: ~Copyable {
    let ports: UnsafeMutableBufferPointer<OpaquePointer?>
    let channels: UnsafeMutableBufferPointer<UnsafeMutableBufferPointer<Float>>
    /// The transport's frame at each frame, -1 while it was stopped; empty if it is not recorded.
    let times: UnsafeMutableBufferPointer<Int64>
    var client: OpaquePointer?
    let frames = Atomic<Int>(0)

    init(channels count: Int, capacityFrames: Int, timeCapacity: Int) {
      unsafe times = .allocate(capacity: timeCapacity)
      unsafe times.initialize(repeating: -1)
      unsafe ports = .allocate(capacity: count)
      unsafe ports.initialize(repeating: nil)
      unsafe channels = .allocate(capacity: count)
      for index in 0..<count {
        let samples = UnsafeMutableBufferPointer<Float>.allocate(capacity: capacityFrames)
        unsafe samples.initialize(repeating: 0)
        unsafe channels.initializeElement(at: index, to: samples)
      }
    }

    deinit {
      for index in unsafe 0..<channels.count { unsafe channels[index].deallocate() }
      unsafe channels.deallocate()
      unsafe ports.deallocate()
      unsafe times.deallocate()
    }

    /// Records the transport's frame for each frame of a cycle.
    func noteTransport(from start: Int, count: Int) {
      guard let client = unsafe client, unsafe start < times.count else { return }
      var frame: UInt32 = 0
      guard unsafe cjack_transport(client, &frame) else { return }
      for index in unsafe start..<min(start + count, times.count) {
        unsafe times[index] = Int64(frame) + Int64(index - start)
      }
    }
  }

  /// Connects to ports, and records them from now on.
  ///
  /// - Parameters:
  ///   - capacityFrames: frames after this many are not recorded.
  ///   - recordsTransport: whether the transport's frames are recorded, too.
  ///   - name: the client's name.
  public init(
    _ sources: [String], capacityFrames: Int, recordsTransport: Bool = false,
    name: String = "recorder"
  ) throws {
    let options = JackOptions(rawValue: JackNoStartServer.rawValue | JackUseExactName.rawValue)
    var status = JackStatus(rawValue: 0)
    guard let client = unsafe cjack_client_open(name, options, &status, JACKServer.name)
    else {
      throw JACKServer.Failure(description: "no client for the recorder: \(status.rawValue)")
    }
    unsafe self.client = client
    channelCount = sources.count
    unsafe take = .allocate(capacity: 1)
    unsafe take.initialize(
      to: Take(
        channels: sources.count, capacityFrames: capacityFrames,
        timeCapacity: recordsTransport ? capacityFrames : 0))
    unsafe take.pointee.client = client
    for index in sources.indices {
      unsafe take.pointee.ports[index] = unsafe jack_port_register(
        client, "in_\(index + 1)", JACK_DEFAULT_AUDIO_TYPE, UInt(JackPortIsInput.rawValue), 0)
    }
    unsafe jack_set_process_callback(client, record, take)
    unsafe jack_activate(client)
    for (index, source) in sources.enumerated() {
      // The server only accepts the request; it makes the connection once its clients are on time.
      let isConnected =
        unsafe jack_connect(client, source, "\(name):in_\(index + 1)") == 0
        && eventually {
          unsafe jack_port_connected_to(take.pointee.ports[index], source) != 0
        }
      guard isConnected else {
        close()
        throw JACKServer.Failure(description: "\(source) cannot be recorded")
      }
    }
  }

  deinit {
    unsafe take.deinitialize(count: 1)
    unsafe take.deallocate()
  }

  /// Starts or ends freewheeling, in which the server runs as fast as its clients answer.
  public func setFreewheel(_ isOn: Bool) throws {
    guard unsafe jack_set_freewheel(client, isOn ? 1 : 0) == 0 else {
      throw JACKServer.Failure(description: "the server does not freewheel")
    }
  }

  /// Frames recorded so far.
  public var frameCount: Int { unsafe take.pointee.frames.load(ordering: .acquiring) }

  /// The samples recorded so far, channel by channel.
  public var samples: [[Float]] {
    let count = frameCount
    return (0..<channelCount).map { unsafe Array(take.pointee.channels[$0][..<count]) }
  }

  /// The transport's frame at each recorded frame, -1 while it was stopped.
  public var transportFrames: [Int64] {
    unsafe Array(take.pointee.times[..<min(frameCount, take.pointee.times.count)])
  }

  /// Returns the first recorded frame, from `start` on, at which the transport was at a frame.
  func firstIndex(ofTransportFrame frame: Int64, from start: Int) -> Int? {
    for index in unsafe start..<max(start, min(frameCount, take.pointee.times.count))
    where unsafe take.pointee.times[index] == frame {
      return index
    }
    return nil
  }

  /// Ends the recording. Call it once, before the server ends.
  public func close() {
    unsafe jack_client_close(client)
  }
}

private func record(_ frameCount: jack_nframes_t, _ argument: UnsafeMutableRawPointer?) -> Int32 {
  guard let take = unsafe argument?.assumingMemoryBound(to: JACKRecorder.Take.self) else {
    return 0
  }
  let start = unsafe take.pointee.frames.load(ordering: .relaxed)
  var end = start
  for index in unsafe 0..<take.pointee.ports.count {
    let target = unsafe take.pointee.channels[index]
    let count = min(Int(frameCount), target.count - start)
    guard count > 0 else { return 0 }
    guard let port = unsafe take.pointee.ports[index],
      let buffer = unsafe jack_port_get_buffer(port, frameCount)
    else { continue }
    unsafe (target.baseAddress! + start).update(
      from: buffer.assumingMemoryBound(to: Float.self), count: count)
    if index == 0 { end = start + count }
  }
  unsafe take.pointee.noteTransport(from: start, count: end - start)
  unsafe take.pointee.frames.store(end, ordering: .releasing)
  return 0
}
