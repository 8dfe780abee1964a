// SPDX-License-Identifier: MIT

import AudioModel

/// The encodings of a track's sample entries. Unused and duplicate entries cannot make a file
/// unplayable.
struct EntryEncodings {
  /// The encodings in the order of the entries; nil for one whose packets cannot be played.
  private var all: [TrackEncoding?] = []
  /// For each entry, the first entry with the same configuration.
  private var first: [Int] = []
  /// The entry of the present packets, from 0.
  private(set) var selected = 0

  /// Reads the encodings of a track's entries.
  ///
  /// - Parameters:
  ///   - used: the numbers of the entries in use, from 1, in playing order.
  ///   - offset: the byte offset at which the track's tables end, for errors.
  init(
    _ draft: TrackDraft, used: [UInt32], at offset: Int64
  ) throws(AudioFileStreamError) {
    let entries = draft.entries
    guard !entries.isEmpty else {
      throw AudioFileStreamError(
        .invalidFile, at: offset, "the audio track does not state its encoding")
    }
    var failures: [AudioFileStreamError?] = []
    for entry in entries {
      do throws(AudioFileStreamError) {
        all.append(
          try TrackEncoding(entry, timescale: draft.timescale, at: draft.entryOffset))
        failures.append(nil)
      } catch {
        all.append(nil)
        failures.append(error)
      }
    }
    var candidates = used.map { Int($0) - 1 }.filter(entries.indices.contains)
    if candidates.isEmpty { candidates = [0] }
    let known = candidates.filter { all[$0] != nil }
    guard let main = known.first(where: { entries[$0].isComplete }) ?? known.first else {
      throw failures[candidates[0]]
        ?? AudioFileStreamError(
          .invalidFile, at: offset, "the audio track does not state its encoding")
    }
    for index in entries.indices {
      // An entry without its own configuration shares that of the main entry.
      let isBare = !entries[index].isComplete && entries[index].type == entries[main].type
      let one = isBare ? all[main] : all[index]
      let same = entries.indices.first { other in
        guard let one, let two = all[other] else { return false }
        return one.isSame(as: two)
      }
      first.append(same ?? index)
    }
    selected = first[main]
  }

  /// The encoding of the present packets.
  var current: TrackEncoding {
    get { all[selected]! }
    set { all[selected] = newValue }
  }

  /// The most bytes of a packet of any entry, for packets that no table lists.
  var packetSizeUpperBound: Int { all.reduce(0) { max($0, $1?.packetSizeUpperBound ?? 0) } }

  /// Returns the entry, from 0, with the encoding of the packets of entry `number`, from 1; nil if
  /// their encoding cannot follow the present one.
  ///
  /// - Parameter isTimed: whether packets of both entries must have the same duration.
  func follower(number: UInt32, isTimed: Bool) -> Int? {
    guard first.indices.contains(Int(number) - 1) else { return selected }
    let index = first[Int(number) - 1]
    if index == selected { return index }
    guard let format = all[index]?.dataFormat, format.bytesPerPacket == 0,
      current.dataFormat.bytesPerPacket == 0
    else { return nil }
    let isSameTime =
      format.sampleRate == current.dataFormat.sampleRate
      && format.framesPerPacket == current.dataFormat.framesPerPacket
    return isSameTime || !isTimed ? index : nil
  }

  mutating func select(_ index: Int) { selected = index }

  /// Changes every encoding.
  mutating func forEach(_ body: (inout TrackEncoding) -> Void) {
    for index in all.indices where all[index] != nil { body(&all[index]!) }
  }
}
