// SPDX-License-Identifier: MIT

// Channel: and Copy:.
extension CommandReader {
  /// Reads `L R`, `1 2`, `all`: positions, numbers from 1, and channels that `Copy:` has created.
  func channels(
    _ parameters: ArraySlice<UInt8>, limit: Int
  ) throws(EqualizerProblem.Reason) -> EqualizerSelection {
    var scanner = ParameterScanner(parameters)
    var selection = EqualizerSelection(includesOutputs: false, channels: [])
    var count = 0
    while !scanner.isAtEnd() {
      let name = scanner.token()
      count += 1
      guard count <= limit else { throw .tooManyItems("channels", limit: limit) }
      if name.isWord("all") {
        selection.includesOutputs = true
        // `all` includes channels that are not outputs of the device.
        for channel in assignedChannels { selection.insert(channel) }
        continue
      }
      let channel = EqualizerChannel(name: name)
      guard let channel, isKnown(channel) else {
        throw .unknownChannel(ParameterScanner.excerpt(name))
      }
      selection.insert(channel)
    }
    guard count > 0 else { throw .missing("a channel") }
    return selection
  }

  /// Reads `L=0.5*L+-3dB*R L2=R`: assignments without blanks. A factor is linear, or in dB; a sum may
  /// be 0.
  mutating func copy(
    _ parameters: ArraySlice<UInt8>, limit: Int
  ) throws(EqualizerProblem.Reason) -> [ChannelAssignment] {
    var scanner = ParameterScanner(parameters)
    var assignments: [ChannelAssignment] = []
    while !scanner.isAtEnd() {
      guard assignments.count < limit else { throw .tooManyItems("assignments", limit: limit) }
      let assignment = try assignment(scanner.token(), limit: limit)
      guard !assignments.contains(where: { $0.target == assignment.target }) else {
        throw .repeated("the channel \(assignment.target)")
      }
      assignments.append(assignment)
    }
    guard !assignments.isEmpty else { throw .missing("an assignment") }
    // The targets are known from the next line on.
    for target in assignments.map(\.target) where !assignedChannels.contains(target) {
      guard assignedChannels.count < limit else { throw .tooManyItems("channels", limit: limit) }
      assignedChannels.append(target)
    }
    return assignments
  }

  private func assignment(
    _ text: ArraySlice<UInt8>, limit: Int
  ) throws(EqualizerProblem.Reason) -> ChannelAssignment {
    let sides = text.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
    guard sides.count == 2, let target = EqualizerChannel(name: sides[0]) else {
      throw .malformedAssignment(ParameterScanner.excerpt(text))
    }
    let terms = sides[1].split(separator: UInt8(ascii: "+"), omittingEmptySubsequences: false)
    guard terms.count <= limit else { throw .tooManyItems("summands", limit: limit) }
    var summands: [ChannelAssignment.Summand] = []
    for term in terms {
      if let summand = try summand(term, of: text) { summands.append(summand) }
    }
    return ChannelAssignment(target, summands)
  }

  /// Reads `R`, `0.5*R`, `-3dB*R`; returns nil for the constant 0.
  private func summand(
    _ term: ArraySlice<UInt8>, of text: ArraySlice<UInt8>
  ) throws(EqualizerProblem.Reason) -> ChannelAssignment.Summand? {
    let factors = term.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
    let malformed = EqualizerProblem.Reason.malformedAssignment(ParameterScanner.excerpt(text))
    guard let last = factors.last, factors.count <= 2 else { throw malformed }
    if factors.count == 1, last.contains(UInt8(ascii: ".")) || last.isWord("0") {
      guard let constant = DecimalNumber.plain(Array(last)) else { throw malformed }
      // A constant other than 0 would add direct current.
      guard constant == 0 else { throw .outOfRange("a constant", lowest: 0, highest: 0) }
      return nil
    }
    guard let source = EqualizerChannel(name: last) else { throw malformed }
    guard isKnown(source) else { throw .unknownChannel(source.description) }
    guard factors.count == 2 else { return ChannelAssignment.Summand(source) }
    var scanner = ParameterScanner(factors[0])
    guard scanner.isAtNumber() else { throw malformed }
    var factor = try scanner.number("the factor")
    if scanner.take(unit: "db") {
      try Self.check(factor, in: Self.gainRange, "the factor in dB")
      factor = Decibels.linear(factor)
    } else {
      try Self.check(factor, in: -1e6...1e6, "the factor")
    }
    guard scanner.isAtEnd() else { throw malformed }
    return ChannelAssignment.Summand(source, factor: factor)
  }

  private func isKnown(_ channel: EqualizerChannel) -> Bool {
    if case .virtual = channel { return assignedChannels.contains(channel) }
    return true
  }
}

extension EqualizerSelection {
  fileprivate mutating func insert(_ channel: EqualizerChannel) {
    if !channels.contains(channel) { channels.append(channel) }
  }
}
