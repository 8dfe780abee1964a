// SPDX-License-Identifier: MIT

import AudioModel

/// The encodings of a track's sample entries. Only what packets use is judged: an entry that no packet
/// uses, or one that repeats another, rejects nothing.
struct EntryEncodings {
  /// In the order of the entries; nil for one whose packets cannot be played.
  private var all: [TrackEncoding?] = []
  /// For each entry the first one of the same configuration.
  private var first: [Int] = []
  /// The entry of the packets at hand, from 0.
  private(set) var selected = 0

  /// Judges the entries of a track.
  ///
  /// - Parameters:
  ///   - used: the numbers of the entries in use, from 1, in the order of playing.
  ///   - offset: where the track's tables end, for errors.
  init(
    _ draft: TrackDraft, used: [UInt32], at offset: Int64
  ) throws(AudioFileStreamError) {
    let entries = draft.entries
    guard !entries.isEmpty else {
      throw AudioFileStreamError(
        .invalidFile, at: offset, "the audio track does not say how it is encoded")
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
          .invalidFile, at: offset, "the audio track does not say how it is encoded")
    }
    for index in entries.indices {
      // An entry without a configuration of its own has that of the others.
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

  /// The encoding of the packets at hand.
  var current: TrackEncoding {
    get { all[selected]! }
    set { all[selected] = newValue }
  }

  /// Bytes that no packet of any entry exceeds, where no table tells.
  var packetSizeUpperBound: Int { all.reduce(0) { max($0, $1?.packetSizeUpperBound ?? 0) } }

  /// The entry, from 0, with the encoding of the packets of entry `number`, from 1; nil if their encoding
  /// cannot follow the present one.
  ///
  /// - Parameter isTimed: packets of both entries have to have the same duration.
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
