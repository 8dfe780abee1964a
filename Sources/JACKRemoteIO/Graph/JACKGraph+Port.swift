// SPDX-License-Identifier: MIT

extension JACKGraph {
  /// A port of the graph.
  public struct Port: Sendable, Equatable {
    /// Which way its data go.
    public enum Direction: String, Sendable {
      /// It takes data.
      case input
      /// It gives data.
      case output
    }

    /// What its data are.
    public enum DataType: Sendable, Equatable {
      /// 32-bit float, one channel.
      case audio
      /// MIDI events.
      case midi
      /// Another, by JACK's name for it.
      case other(String)

      /// - Parameter name: as `jack_port_type` has it (jack/types.h).
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
    /// The server's number of it, by which it has metadata. jack2 gives it to another port later.
    public var uuid: UInt64
    /// Other full names: two at most.
    public var aliases: [String]
    /// Which way its data go.
    public var direction: Direction
    /// What its data are.
    public var type: DataType
    /// Whether it is a device's.
    public var isPhysical: Bool
    /// Whether sound begins or ends here, as far as latency goes.
    public var isTerminal: Bool
    /// Whether its device can be asked to pass it through.
    public var canMonitor: Bool
    /// Frames since what it has was heard at a terminal port: the shortest and the longest way.
    public var captureLatency: ClosedRange<Int>
    /// Frames until what is written to it is heard at a terminal port: the shortest and the longest way.
    public var playbackLatency: ClosedRange<Int>
    /// The full names of the ports that it is connected to, in the server's order.
    public var connections: [String]
    /// Its metadata, by key. With jack2 all servers of a user share one store, by the ports' numbers.
    public var properties: [Property]

    /// A port with these facts.
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

    /// The name for people, when it has one.
    public var prettyName: String? {
      properties.first { $0.key == Property.prettyNameKey }?.value
    }
  }

  /// A property of a port or a client: metadata that other programs show.
  public struct Property: Sendable, Equatable {
    /// What it is: a URI.
    public var key: String
    /// Its value.
    public var value: String
    /// The type of its value: a MIME type or a URI; nil for text.
    public var type: String?

    /// A property with these facts.
    public init(key: String, value: String, type: String?) {
      self.key = key
      self.value = value
      self.type = type
    }

    /// The key of the name for people (jack/metadata.h, `JACK_METADATA_PRETTY_NAME`).
    public static var prettyNameKey: String { "http://jackaudio.org/metadata/pretty-name" }
  }
}
