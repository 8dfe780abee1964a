// SPDX-License-Identifier: MIT

@_exported public import AudioModel
@_exported public import PacketParser
