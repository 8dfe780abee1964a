// SPDX-License-Identifier: MIT

extension RemoteIO {
  /// Ports of one direction that belong together: a bus, as Core Audio calls it.
  ///
  /// The engine's part of a bus are the channels of the same numbers: `Renderer.addSource`,
  /// `addCallback`, `addCapture` and the queues take them as a range. To other programs each port tells its
  /// group (`http://jackaudio.org/metadata/port-group`), and its name for people begins with it.
  public struct PortGroup: Hashable, Sendable {
    /// The bus' name, for people.
    public var name: String
    /// The ports, counted from 0.
    public var ports: Range<Int>

    /// A group of these ports.
    public init(name: String, ports: Range<Int>) {
      self.name = name
      self.ports = ports
    }
  }
}
