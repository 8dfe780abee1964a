// SPDX-License-Identifier: MIT

// A C structure, because a C function is what can be called without reference counts. Its users need not
// import the module that it comes from.
@_exported public import struct CRealtimeScope.RenderCall
