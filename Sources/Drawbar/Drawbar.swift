// SPDX-License-Identifier: MIT

// The umbrella: one import for everything but the JACK client.
@_exported public import AudioConversion
@_exported public import AudioModel
@_exported public import ByteSources
@_exported public import Equalizers
@_exported public import Metering
@_exported public import OfflineOutput
@_exported public import PacketParser
@_exported public import PlayerEngine
@_exported public import Playlists
@_exported public import PushQueue
@_exported public import RenderCore
