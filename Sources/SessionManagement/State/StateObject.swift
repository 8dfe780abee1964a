// SPDX-License-Identifier: MIT

/// An object of a state file, with access to its members by name and type.
struct StateObject {
  private let members: [String: StateValue]

  /// Returns nil for any other value. Of two members with one name the last counts.
  init?(_ value: StateValue) {
    guard case .object(let members) = value else { return nil }
    self.members = Dictionary(members.map { ($0.name, $0.value) }) { _, last in last }
  }

  subscript(_ name: String) -> StateValue? { members[name] }

  func bool(_ name: String) throws(SessionStateError) -> Bool {
    guard case .bool(let value) = members[name] else { throw .member(name) }
    return value
  }

  /// Returns a string member; throws if it contains a NUL, which no use of it allows.
  func string(_ name: String) throws(SessionStateError) -> String {
    guard case .string(let text) = members[name], !text.utf8.contains(0) else {
      throw .member(name)
    }
    return text
  }

  func number(
    _ name: String, in range: ClosedRange<Double>
  ) throws(SessionStateError) -> Double {
    guard case .number(let number) = members[name], range.contains(number) else {
      throw .member(name)
    }
    return number
  }

  func integer(_ name: String, in range: ClosedRange<Int>) throws(SessionStateError) -> Int {
    guard case .number(let number) = members[name], let integer = Int(exactly: number),
      range.contains(integer)
    else { throw .member(name) }
    return integer
  }

  func array(
    _ name: String, count: ClosedRange<Int>
  ) throws(SessionStateError) -> [StateValue] {
    guard case .array(let elements) = members[name], count.contains(elements.count) else {
      throw .member(name)
    }
    return elements
  }

  func strings(_ name: String, atMost limit: Int) throws(SessionStateError) -> [String] {
    var strings: [String] = []
    for element in try array(name, count: 0...limit) {
      guard case .string(let text) = element, !text.utf8.contains(0) else { throw .member(name) }
      strings.append(text)
    }
    return strings
  }

  /// Returns a member that may be null or missing.
  func optional<Value>(
    _ name: String, _ read: (StateObject, String) throws(SessionStateError) -> Value
  ) throws(SessionStateError) -> Value? {
    switch members[name] {
    case nil, .null: nil
    default: try read(self, name)
    }
  }
}

extension StateObject {
  /// ``string(_:)`` as a function of the object, for ``optional(_:_:)``.
  static func string(
    _ object: StateObject, _ name: String
  ) throws(SessionStateError) -> String { try object.string(name) }
}
