// SPDX-License-Identifier: MIT

internal import CJACK

extension Client {
  /// Sets metadata that other programs show (jack/metadata.h): display name, order and signal type of each
  /// port, and an icon for the client. Call it once the client is active.
  ///
  /// - Returns: whether the server has accepted all of it.
  func setMetadata(
    outputGroups: [RemoteIO.PortGroup], inputGroups: [RemoteIO.PortGroup]
  ) -> Bool {
    var isTaken = true
    func set(_ subject: jack_uuid_t, _ key: String, _ value: String, _ type: String) {
      if unsafe jack_set_property(handle, subject, key, value, type) != 0 { isTaken = false }
    }
    func setPort(_ port: OpaquePointer, _ name: PortName, order: Int) {
      let subject = unsafe jack_port_uuid(port)
      set(subject, JACKGraph.Property.prettyNameKey, name.forPeople, "text/plain")
      if let group = name.group { set(subject, Self.portGroupKey, group, "text/plain") }
      set(
        subject, "http://jackaudio.org/metadata/order", "\(order)",
        "http://www.w3.org/2001/XMLSchema#int")
      set(subject, "http://jackaudio.org/metadata/signal-type", "AUDIO", "text/plain")
    }
    for index in unsafe outputs.indices {
      unsafe setPort(
        outputs[index], PortName(index, of: outputs.count, outputGroups, kind: "output"),
        order: index + 1)
    }
    for index in unsafe inputs.indices {
      unsafe setPort(
        inputs[index], PortName(index, of: inputs.count, inputGroups, kind: "input"),
        order: outputs.count + index + 1)
    }
    if let subject { set(subject, Self.iconNameKey, "audio-x-generic", "text/plain") }
    return isTaken
  }

  /// Removes the metadata. jack2 keeps metadata that is not removed, for the ports that get the same UUIDs
  /// next.
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
  private static var portGroupKey: String { "http://jackaudio.org/metadata/port-group" }

  /// The client's UUID.
  private var subject: jack_uuid_t? {
    guard let text = unsafe jack_get_uuid_for_client_name(handle, name) else { return nil }
    defer { unsafe jack_free(text) }
    var subject: jack_uuid_t = 0
    return unsafe jack_uuid_parse(text, &subject) == 0 ? subject : nil
  }
}

/// A port's display name and its group.
private struct PortName {
  let forPeople: String
  let group: String?

  init(_ index: Int, of count: Int, _ groups: [RemoteIO.PortGroup], kind: String) {
    guard let group = groups.first(where: { $0.ports.contains(index) }) else {
      (forPeople, self.group) = (Self.text(index, of: count, kind: kind), nil)
      return
    }
    self.group = group.name
    let text = Self.text(index - group.ports.lowerBound, of: group.ports.count, kind: kind)
    forPeople = group.name + ": " + text.prefix(1).lowercased() + text.dropFirst()
  }

  private static func text(_ index: Int, of count: Int, kind: String) -> String {
    switch count {
    case 1: kind.prefix(1).uppercased() + kind.dropFirst()
    case 2: (index == 0 ? "Left " : "Right ") + kind
    default: kind.prefix(1).uppercased() + kind.dropFirst() + " \(index + 1)"
    }
  }
}
