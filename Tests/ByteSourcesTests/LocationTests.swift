// SPDX-License-Identifier: MIT

import AudioModel
import Testing

@testable import ByteSources

@Suite("The meaning of a location")
struct LocationTests {
  @Test("only a scheme with slashes makes a URL; anything else is a path")
  func paths() throws {
    for path in ["a.mp3", "./-", "a:b.mp3", "C:\\a.mp3", "1x://a", "/a?b#c%20", "http:a", "ü://a"] {
      #expect(try SourceLocation(path) == .file(path: path))
    }
    #expect(try SourceLocation("-") == .standardInput)
    #expect(try SourceLocation("file:/a%20b") == .file(path: "/a b"))
  }

  @Test(
    "a location that cannot be used is malformed",
    arguments: [
      "", "file://other.host/a", "file:///a%2", "file:///a%zz", "file:///a%00b", "file://",
      "http://",
      "http://host:99999/", "http://ho st/",
    ])
  func malformed(location: String) {
    let error = #expect(throws: ByteSourceError.self) { try SourceLocation(location) }
    #expect(error?.reason == .malformedLocation)
    #expect(error?.description.contains("\n") == false)
  }

  @Test("control characters in a URL, and a NUL anywhere, are malformed")
  func controlCharacters() {
    for location in ["a\0b.mp3", "http://h/a\0b", "http://h/\n", "http://h/\u{7F}"] {
      malformed(location: location)
    }
  }

  @Test("an unsupported scheme is refused by its name")
  func schemes() {
    for (location, scheme) in [("mms://h/a", "mms"), ("RTSP://h", "rtsp"), ("icyx://h", "icyx")] {
      let error = #expect(throws: ByteSourceError.self) { try SourceLocation(location) }
      #expect(error?.reason == .unsupportedScheme(scheme))
      #expect(error?.description.hasPrefix("\(scheme): URLs are not supported") == true)
    }
  }

  @Test("a URL is split, its credentials decoded and kept out of its text")
  func webURL() throws {
    let url = try #require(WebURL("HTTP://us%40er:p%3Aw@Host.example:8000/a b.mp3?x=1#f"))
    #expect(url.text == "http://Host.example:8000/a%20b.mp3?x=1#f")
    #expect((url.user, url.password) == ("us@er", "p:w"))
    #expect((url.host, url.port, url.path) == ("Host.example", 8000, "/a%20b.mp3"))
    let plain = try #require(WebURL("https://[::1]"))
    #expect((plain.host, plain.port, plain.path) == ("[::1]", 443, "/"))
    #expect((plain.user, plain.password) == (nil, nil))
    #expect(WebURL("http://h/ü.mp3")?.text == "http://h/%c3%bc.mp3")
  }

  @Test(
    "no message contains a password, whatever the error in its URL",
    arguments: [
      "http://user:hunter2@host:99999/", "ftp://user:hunter2@host/", "http://user:hunter2@",
      "http://user:hun/hunter2@host:x/", "mms://user:hunter2@a@host/", "http://u:hunter2@h h/",
    ])
  func passwords(location: String) {
    let error = #expect(throws: ByteSourceError.self) { try SourceLocation(location) }
    #expect(error?.description.contains("hunter2") == false)
  }

  @Test("the content type, or else the extension, is the type hint")
  func hints() {
    typealias Hint = AudioFileTypeID
    #expect(Hint(hintedByPath: "/a/b.MP3") == .mpegLayer3)
    #expect(Hint(hintedByPath: "b.mp2") == .mpegLayer2)
    #expect(Hint(hintedByPath: "/x.y/b.mp1") == .mpegLayer1)
    #expect(Hint(hintedByPath: "b.wave") == .wave)
    for path in ["", "/", "/a.mp3/b", "mp3", "b.mp3x", "b.ogg", "b."] {
      #expect(Hint(hintedByPath: path) == nil)
    }
    #expect(Hint(hintedByPath: "/", contentType: "Audio/MPEG; charset=x") == .mpegLayer3)
    #expect(Hint(hintedByPath: "/a.mp2", contentType: "audio/mpeg") == .mpegLayer2)
    #expect(Hint(hintedByPath: "/a.wav", contentType: "audio/mp3") == .mpegLayer3)
    #expect(Hint(hintedByPath: "/a.mp3", contentType: "audio/x-wav") == .wave)
    #expect(Hint(hintedByPath: "/", contentType: "audio/vnd.wave;codec=1") == .wave)
    #expect(Hint(hintedByPath: "/a.wav", contentType: "text/html") == .wave)
    #expect(Hint(hintedByPath: "/a", contentType: "text/html") == nil)
  }
}
