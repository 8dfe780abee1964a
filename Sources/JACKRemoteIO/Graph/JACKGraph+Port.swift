// SPDX-License-Identifier: MIT

extension JACKGraph {
  /// A port of the graph.
  public struct Port: Sendable, Equatable {
    /// The direction of a port's data.
    public enum Direction: String, Sendable {
      /// The port receives data.
      case input
      /// The port sends data.
      case output
    }

    /// The type of a port's data.
    public enum DataType: Sendable, Equatable {
      /// 32-bit float, one channel.
      case audio
      /// MIDI events.
      case midi
      /// Another type, by JACK's name for it.
      case other(String)

      /// - Parameter name: the type's name from `jack_port_type` (jack/types.h).
      init(jackName name: String) {
        switch name {
        case "32 bit float mono audio": self = .audio
        case "8 bit raw midi": self = .midi
        default: self = .other(name)
        }
      }

      /// `audio`, `midi`, or JACK's name of another type.
      public var name: String {
        switch self {
        case .audio: "audio"
        case .midi: "midi"
        case .other(let name): name
        }
      }
    }

    /// The full name: that of its client, `:`, and its own.
    public var name: String
    /// The server's number of the port, which identifies its metadata. jack2 reuses it for another port later.
    public var uuid: UInt64
    /// Other full names, two at most.
    public var aliases: [String]
    /// The direction of its data.
    public var direction: Direction
    /// The type of its data.
    public var type: DataType
    /// Whether it belongs to a device.
    public var isPhysical: Bool
    /// Whether sound begins or ends here, in the computation of latency.
    public var isTerminal: Bool
    /// Whether its device can monitor it (`JackPortCanMonitor`).
    public var canMonitor: Bool
    /// Frames between a sound's arrival at a terminal port and at this one: the shortest and the longest path.
    public var captureLatency: ClosedRange<Int>
    /// Frames between a sound at this port and at the terminal port that plays it: the shortest and the longest
    /// path.
    public var playbackLatency: ClosedRange<Int>
    /// The full names of the connected ports, in the server's order.
    public var connections: [String]
    /// Its metadata, sorted by key. With jack2 all servers of a user share one store, indexed by the ports'
    /// numbers.
    public var properties: [Property]

    /// Creates a port with these values.
    public init(
      name: String, uuid: UInt64, aliases: [String], direction: Direction, type: DataType,
      isPhysical: Bool, isTerminal: Bool, canMonitor: Bool, captureLatency: ClosedRange<Int>,
      playbackLatency: ClosedRange<Int>, connections: [String], properties: [Property]
    ) {
      self.name = name
      self.uuid = uuid
      self.aliases = aliases
      self.direction = direction
      self.type = type
      self.isPhysical = isPhysical
      self.isTerminal = isTerminal
      self.canMonitor = canMonitor
      self.captureLatency = captureLatency
      self.playbackLatency = playbackLatency
      self.connections = connections
      self.properties = properties
    }

    /// The part of the name before the first `:`.
    public var client: Substring { name.prefix { $0 != ":" } }

    /// The display name, if there is one.
    public var prettyName: String? {
      properties.first { $0.key == Property.prettyNameKey }?.value
    }
  }

  /// A property of a port or a client: metadata that other programs show.
  public struct Property: Sendable, Equatable {
    /// The property's name: a URI.
    public var key: String
    /// Its value.
    public var value: String
    /// The type of its value: a MIME type or a URI; nil for text.
    public var type: String?

    /// Creates a property with these values.
    public init(key: String, value: String, type: String?) {
      self.key = key
      self.value = value
      self.type = type
    }

    /// The key of the display name (jack/metadata.h, `JACK_METADATA_PRETTY_NAME`).
    public static var prettyNameKey: String { "http://jackaudio.org/metadata/pretty-name" }
  }
}
