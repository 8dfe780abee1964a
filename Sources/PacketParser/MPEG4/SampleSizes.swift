// SPDX-License-Identifier: MIT

/// The sizes of a track's samples (`stsz` and `stz2`, ISO/IEC 14496-12 section 8.7.3): a common size or
/// a table.
struct SampleSizes {
  /// The common size of all samples; 0 if they differ.
  var uniform = 0
  /// The number of samples, if they have one size.
  var uniformCount: Int64 = 0
  private var table: [UInt32] = []
  /// Bytes before every 1024th sample.
  private var bytesBefore: [Int64] = []
  private(set) var totalOfTable: Int64 = 0
  private(set) var largestOfTable = 0

  private static let blockShift: Int64 = 10

  var isEmpty: Bool { count == 0 }
  var count: Int64 { uniform > 0 ? uniformCount : Int64(table.count) }
  var largest: Int { uniform > 0 ? uniform : largestOfTable }

  mutating func append(_ size: UInt32) {
    if table.count & (1 << Self.blockShift - 1) == 0 { bytesBefore.append(totalOfTable) }
    table.append(size)
    totalOfTable += Int64(size)
    // Larger samples are skipped.
    if Int64(size) <= Int64(MPEG4Parser.maximumPacketBytes) {
      largestOfTable = max(largestOfTable, Int(size))
    }
  }

  /// A sample's bytes.
  subscript(sample: Int64) -> Int {
    uniform > 0 ? uniform : Int(table[Int(sample)])
  }

  /// Returns the bytes of all samples before this one, which may be the end.
  func bytes(before sample: Int64) -> Int64 {
    if uniform > 0 { return sample * Int64(uniform) }
    guard sample < table.count else { return totalOfTable }
    let block = sample >> Self.blockShift
    var bytes = bytesBefore[Int(block)]
    for index in Int(block << Self.blockShift)..<Int(sample) { bytes += Int64(table[index]) }
    return bytes
  }
}
