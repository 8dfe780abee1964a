// SPDX-License-Identifier: MIT

// A C structure, because a C function can be called without reference counts. Its users need not import its module.
@_exported public import struct CRealtimeScope.RenderCall
