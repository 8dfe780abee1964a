// SPDX-License-Identifier: MIT

internal import CJACK

extension Client {
  /// Gives the ports names for people, their order and what they carry, and the client an icon: metadata
  /// that other programs show (jack/metadata.h). Once the client is active.
  ///
  /// - Returns: whether the server has taken all of it.
  func setMetadata() -> Bool {
    var isTaken = true
    func set(_ subject: jack_uuid_t, _ key: String, _ value: String, _ type: String) {
      if unsafe jack_set_property(handle, subject, key, value, type) != 0 { isTaken = false }
    }
    func setPort(_ port: OpaquePointer, _ name: String, order: Int) {
      let subject = unsafe jack_port_uuid(port)
      set(subject, JACKGraph.Property.prettyNameKey, name, "text/plain")
      set(
        subject, "http://jackaudio.org/metadata/order", "\(order)",
        "http://www.w3.org/2001/XMLSchema#int")
      set(subject, "http://jackaudio.org/metadata/signal-type", "AUDIO", "text/plain")
    }
    for index in unsafe outputs.indices {
      unsafe setPort(
        outputs[index], Self.prettyName(index, of: outputs.count, kind: "output"),
        order: index + 1)
    }
    for index in unsafe inputs.indices {
      unsafe setPort(
        inputs[index], Self.prettyName(index, of: inputs.count, kind: "input"),
        order: outputs.count + index + 1)
    }
    if let subject { set(subject, Self.iconNameKey, "audio-x-generic", "text/plain") }
    return isTaken
  }

  /// Takes them back. jack2 keeps what is not taken back, for whoever gets the ports' numbers next.
  func removeMetadata() {
    for index in unsafe outputs.indices {
      unsafe jack_remove_properties(handle, jack_port_uuid(outputs[index]))
    }
    for index in unsafe inputs.indices {
      unsafe jack_remove_properties(handle, jack_port_uuid(inputs[index]))
    }
    if let subject { unsafe jack_remove_properties(handle, subject) }
  }

  private static var iconNameKey: String { "http://jackaudio.org/metadata/icon-name" }

  /// The client's own number.
  private var subject: jack_uuid_t? {
    guard let text = unsafe jack_get_uuid_for_client_name(handle, name) else { return nil }
    defer { unsafe jack_free(text) }
    var subject: jack_uuid_t = 0
    return unsafe jack_uuid_parse(text, &subject) == 0 ? subject : nil
  }

  static func prettyName(_ index: Int, of count: Int, kind: String) -> String {
    switch count {
    case 1: kind.prefix(1).uppercased() + kind.dropFirst()
    case 2: (index == 0 ? "Left " : "Right ") + kind
    default: kind.prefix(1).uppercased() + kind.dropFirst() + " \(index + 1)"
    }
  }
}
