// SPDX-License-Identifier: MIT

extension RemoteIO {
  /// Ports of one direction that belong together: a bus, as Core Audio calls it.
  ///
  /// In the engine a bus is the range of channels with the same numbers, which `Renderer.addSource`,
  /// `addCallback`, `addCapture` and the queues take. Metadata publish each port's group to other programs
  /// (`http://jackaudio.org/metadata/port-group`), and its display name begins with the group's.
  public struct PortGroup: Hashable, Sendable {
    /// The bus' display name.
    public var name: String
    /// The ports, counted from 0.
    public var ports: Range<Int>

    /// Creates a group of these ports.
    public init(name: String, ports: Range<Int>) {
      self.name = name
      self.ports = ports
    }
  }
}
