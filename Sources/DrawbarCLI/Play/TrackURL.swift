// SPDX-License-Identifier: MIT

import Glibc

/// Locations in the form of `TrackInformation`: a file's path, a URL without user name and password, or
/// `standard input`.
extension String {
  /// The location as a URL for other programs; nil if they cannot read it.
  var trackURL: String? {
    if self == "standard input" { return nil }
    let start = prefix { $0 != "/" }.lowercased()
    if (start == "http:" || start == "https:") && dropFirst(start.count).hasPrefix("//") {
      return self
    }
    return "file://" + (hasPrefix("/") ? self : workingFolder + "/" + self).percentEncoded
  }

  /// The location in a form that can be opened from any folder.
  var absoluteLocation: String {
    let scheme = prefix { $0 != "/" }.lowercased()
    if ["http:", "https:", "file:"].contains(where: { scheme.hasPrefix($0) }) || hasPrefix("/") {
      return self
    }
    return workingFolder + "/" + self
  }

  /// The last part of a path or URL, shown if there is no title.
  var lastPathPart: String { split(separator: "/").last.map(String.init) ?? self }

  /// The path with percent-encoding for a URL (RFC 3986, section 2.1).
  private var percentEncoded: String {
    var text = ""
    for byte in utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return text
  }
}

/// The folder of relative paths, without a slash at its end.
let workingFolder: String = {
  guard let path = unsafe getcwd(nil, 0) else { return "" }
  defer { unsafe free(path) }
  let folder = unsafe String(cString: path)
  return folder == "/" ? "" : folder
}()
