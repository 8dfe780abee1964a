// SPDX-License-Identifier: MIT

/// Makes an MPEG-4 file from the bytes of a plan: mostly legal, with the plan's flaws.
struct MPEG4Plan {
  private let plan: [UInt8]
  private var place = 0
  private var sizes: [Int] = []
  private var chunks: [Int] = []

  init(_ plan: [UInt8]) {
    self.plan = plan
  }

  /// Returns the plan's next byte; zero behind its end.
  private mutating func next() -> Int {
    defer { place += 1 }
    return place < plan.count ? Int(plan[place]) : 0
  }

  private func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * (byteCount - 1 - $0))) }
  }

  /// Makes a box, occasionally with a wrong size.
  private mutating func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    let name = [UInt8](type.utf8)
    switch next() {
    case 250: return number(1, 4) + name + number(content.count + 16, 8) + content
    case 251: return number(0, 4) + name + content
    case 252: return number(content.count + 8 + next() - 128, 4) + name + content
    case 253: return number(next() << 24, 4) + name + content
    default: return number(content.count + 8, 4) + name + content
    }
  }

  private mutating func full(_ type: String, _ content: [UInt8], flags: Int = 0) -> [UInt8] {
    box(type, number(flags, 4) + content)
  }

  /// Makes a count, occasionally a wrong one.
  private mutating func count(_ value: Int) -> [UInt8] {
    let flaw = next()
    return number(flaw > 250 ? value + (flaw << (flaw & 24)) : value, 4)
  }

  /// Makes the whole file.
  mutating func file() -> [UInt8] {
    let brand = [UInt8](["M4A ", "isom", "qt  ", "3gp4"][next() & 3].utf8)
    var file = box("ftyp", brand + number(0, 4) + brand)
    let kind = next()
    if kind & 1 == 0 {
      plainFile(&file, isIndexLast: kind & 2 != 0, hasFragments: kind & 12 == 12)
    } else {
      file += movie(mediaOffset: 0, isFragmented: true)
    }
    if kind & 1 == 1 || kind & 12 == 12 {
      for _ in 0..<(kind >> 4) & 3 + 1 { file += fragment(at: file.count) }
    }
    // Overwrite bytes of the file.
    while place < plan.count, !file.isEmpty {
      let target = next() << 8 | next()
      file[target % file.count] = UInt8(next())
    }
    return file
  }

  private mutating func plainFile(_ file: inout [UInt8], isIndexLast: Bool, hasFragments: Bool) {
    for _ in 0..<next() & 7 {
      let packets = next() & 7
      chunks.append(packets)
      for _ in 0..<packets { sizes.append(next() & 63 + 1) }
    }
    let media = [UInt8](repeating: 0xAB, count: sizes.reduce(0, +) + next() & 31)
    if isIndexLast {
      let offset = file.count + 8
      file += box("mdat", media) + movie(mediaOffset: offset, isFragmented: hasFragments)
    } else {
      // The copy's flaws equal those of the real index, so the sizes match.
      var trial = self
      let length = trial.movie(mediaOffset: 0, isFragmented: hasFragments).count
      file += movie(mediaOffset: file.count + length + 8, isFragmented: hasFragments)
      file += box("mdat", media)
    }
  }

  private mutating func movie(mediaOffset: Int, isFragmented: Bool) -> [UInt8] {
    var content = full("mvhd", number(0, 8) + number(next() << 3, 4))
    let tracks = next() & 1 + 1
    for index in 0..<tracks { content += track(index + 1, mediaOffset: mediaOffset) }
    if isFragmented {
      let defaults =
        number(next() & 3, 4) + number(1, 4) + number(next() << 4, 4)
        + number(next() & 31, 4) + number(0, 4)
      content += box("mvex", full("mehd", number(next() << 8, 4)) + full("trex", defaults))
    }
    if next() & 1 == 1 { content += userData() }
    return box("moov", content)
  }

  private mutating func userData() -> [UInt8] {
    let types = ["\u{40}nam", "trkn", "covr", "----", "gnre", "tmpo", "cpil"]
    var items: [UInt8] = []
    for _ in 0..<next() & 3 {
      let value = (0..<next() & 31).map { _ in UInt8(next()) }
      var data = box("data", number(next() & 31, 4) + number(0, 4) + value)
      if next() & 1 == 1 {
        data = full("mean", [UInt8]("m".utf8)) + full("name", [UInt8]("iTunSMPB".utf8)) + data
      }
      items += box(types[next() % types.count], data)
    }
    return box("udta", full("meta", full("hdlr", number(0, 21)) + box("ilst", items)))
  }

  private mutating func track(_ id: Int, mediaOffset: Int) -> [UInt8] {
    var offsets: [Int] = []
    var offset = mediaOffset
    var index = 0
    for packets in chunks {
      offsets.append(offset)
      offset += sizes[index..<index + packets].reduce(0, +)
      index += packets
    }
    if next() & 7 == 1 { offsets.reverse() }
    let isWide = next() & 3 == 3
    let runs = chunks.enumerated().flatMap {
      number($0.offset + 1, 4) + number($0.element, 4) + number(1, 4)
    }
    let durations = (0..<next() & 3).flatMap { _ in number(next(), 4) + number(next() << 3, 4) }
    let uniform = next() & 3 == 3 ? next() : 0
    var table = full("stsd", count(1) + entry())
    table += full("stts", count(durations.count / 8) + durations)
    table += full("stsc", count(chunks.count) + runs)
    table += full(
      "stsz",
      number(uniform, 4) + count(sizes.count)
        + (uniform > 0 ? [] : sizes.flatMap { number($0, 4) }))
    table += full(
      isWide ? "co64" : "stco",
      count(offsets.count) + offsets.flatMap { number($0, isWide ? 8 : 4) })
    let edits = (0..<next() & 3).flatMap { _ in
      number(next(), 4) + number(next() << 4 - 16, 4) + number(1 << 16, 4)
    }
    let handler = [UInt8](next() & 15 == 15 ? "vide".utf8 : "soun".utf8)
    let timescale = [44_100, 48_000, 600, next()][next() & 3]
    let media =
      full("mdhd", number(0, 8) + number(timescale, 4) + number(0, 4))
      + full("hdlr", number(0, 4) + handler + number(0, 13)) + box("minf", box("stbl", table))
    return box(
      "trak",
      full("tkhd", number(0, 8) + number(id, 4) + number(0, 8), flags: next() & 7 == 7 ? 2 : 3)
        + box("edts", full("elst", count(edits.count / 12) + edits)) + box("mdia", media))
  }

  private mutating func entry() -> [UInt8] {
    let types = [
      "mp4a", "alac", "sowt", "Opus", "fLaC", "ac-3", "ima4", ".mp3", "lpcm", "ulaw", "what",
      "enca",
    ]
    let type = types[next() % types.count]
    let version = next() & 15
    var content = number(1, 8) + number(version > 2 ? 0 : version, 2) + number(0, 6)
    content += number(next() & 7 + 1, 2) + number([8, 16, 24, 32][next() & 3], 2) + number(0, 4)
    content += number(44_100, 2) + [0, 0]
    if version == 1 || version == 2 {
      content += (0..<(version == 1 ? 16 : 36)).map { $0 & 3 == 3 ? UInt8(next()) : 0 }
    }
    let body = (0..<next() & 63).map { _ in UInt8(next()) }
    switch type {
    case "mp4a":
      let config = (0..<next() & 15 + 2).map { _ in UInt8(next()) }
      let decoder =
        [[0x40, 0x6B, 0x66, 0xDD][next() & 3], 0x15] + number(0, 11) + [5, UInt8(config.count)]
        + config
      let stream = number(0, 3) + [4, UInt8(decoder.count)] + decoder
      content += full("esds", [3, UInt8(stream.count)] + stream)
    case "alac": content += full("alac", number(4096, 4) + body)
    case "Opus": content += box("dOps", body)
    case "fLaC": content += full("dfLa", [0x80, 0, 0, 34] + body)
    case "ac-3": content += box("dac3", body)
    default: content += box("chan", number(0, 4) + body)
    }
    return box(type, content)
  }

  private mutating func fragment(at offset: Int) -> [UInt8] {
    var samples: [UInt8] = []
    let packets = next() & 15
    let flags = next() & 0xF
    var bytes = 0
    for _ in 0..<packets {
      if flags & 1 != 0 { samples += number(next() << 3, 4) }
      let size = next() & 63 + 1
      if flags & 2 != 0 {
        samples += number(size, 4)
        bytes += size
      }
      if flags & 4 != 0 { samples += number(0, 4) }
    }
    let commonSize = next() & 31 + 1
    if flags & 2 == 0 { bytes = packets * commonSize }
    let time = full("tfdt", number(next() << 6, 4))
    let run = Run(
      flags: flags, packets: packets, commonSize: commonSize, time: time, samples: samples)
    var trial = self
    let length = trial.fragment(run, dataOffset: 0).count
    let lead = next() & 3 == 3 ? next() - 100 : 8
    let moof = fragment(run, dataOffset: length + lead)
    var result: [UInt8] = []
    if next() & 7 == 7 {
      let reference = number(moof.count + bytes + 8, 4) + number(next() << 5, 4) + number(0, 4)
      result = full(
        "sidx", number(1, 4) + number(44_100, 4) + number(0, 8) + number(1, 4) + reference)
    }
    return result + moof + box("mdat", [UInt8](repeating: 0xCD, count: bytes + next() & 15))
  }

  private struct Run {
    var flags: Int
    var packets: Int
    var commonSize: Int
    var time: [UInt8]
    var samples: [UInt8]
  }

  private mutating func fragment(_ run: Run, dataOffset: Int) -> [UInt8] {
    let track = next() & 31 == 31 ? 2 : 1
    let header = full("tfhd", number(track, 4) + number(run.commonSize, 4), flags: 0x20010)
    let samples = full(
      "trun", count(run.packets) + number(dataOffset, 4) + run.samples, flags: run.flags << 8 | 1)
    let content = box("traf", header + run.time + samples)
    return box("moof", full("mfhd", number(1, 4)) + content)
  }
}
