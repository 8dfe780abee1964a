// SPDX-License-Identifier: MIT

/// The mapping of ID3v2's frame identifiers to other names.
enum ID3v2Names {
  /// The keys of text frames; nil for those known by their identifier only.
  static let keys: [String: AudioTagKey] = [
    "TALB": .album, "TCOM": .composer, "TCON": .genre, "TCOP": .copyright, "TDRC": .date,
    "TDRL": .date, "TENC": .encodedBy, "TIT2": .title, "TLAN": .language, "TPE1": .artist,
    "TPE2": .albumArtist, "TPOS": .disc, "TRCK": .track, "TSRC": .isrc, "TSSE": .encoder,
    "TCMP": AudioTagKey(rawValue: "compilation"), "TDEN": AudioTagKey(rawValue: "creation_time"),
    "TIT1": AudioTagKey(rawValue: "grouping"), "TPE3": AudioTagKey(rawValue: "performer"),
    "TPUB": AudioTagKey(rawValue: "publisher"), "TSOA": AudioTagKey(rawValue: "album-sort"),
    "TSOP": AudioTagKey(rawValue: "artist-sort"), "TSOT": AudioTagKey(rawValue: "title-sort"),
  ]

  /// Version 2.2's identifiers and their equivalents in later versions.
  static let newerIDs: [String: String] = [
    "COM": "COMM", "PIC": "APIC", "TAL": "TALB", "TBP": "TBPM", "TCM": "TCOM", "TCO": "TCON",
    "TCP": "TCMP", "TCR": "TCOP", "TDA": "TDAT", "TDY": "TDLY", "TEN": "TENC", "TFT": "TFLT",
    "TIM": "TIME", "TKE": "TKEY", "TLA": "TLAN", "TLE": "TLEN", "TMT": "TMED", "TOA": "TOPE",
    "TOF": "TOFN", "TOL": "TOLY", "TOR": "TORY", "TOT": "TOAL", "TP1": "TPE1", "TP2": "TPE2",
    "TP3": "TPE3", "TP4": "TPE4", "TPA": "TPOS", "TPB": "TPUB", "TRC": "TSRC", "TRD": "TRDA",
    "TRK": "TRCK", "TS2": "TSO2", "TSA": "TSOA", "TSC": "TSOC", "TSI": "TSIZ", "TSP": "TSOP",
    "TSS": "TSSE", "TST": "TSOT", "TT1": "TIT1", "TT2": "TIT2", "TT3": "TIT3", "TXT": "TEXT",
    "TXX": "TXXX", "TYE": "TYER", "ULT": "USLT",
  ]
}
