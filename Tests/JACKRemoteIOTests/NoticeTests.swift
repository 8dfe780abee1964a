// SPDX-License-Identifier: MIT

import Glibc
import JACKRemoteIO
import RenderCore
import TestKit
import Testing

extension OutputTests {
  @Suite("an output's notices")
  struct Notices {
    /// Waits on the descriptor as a main loop does.
    private func isReadable(_ output: RemoteIO, seconds: Double) -> Bool {
      var entry = pollfd(fd: output.noticeDescriptor, events: Int16(POLLIN), revents: 0)
      return unsafe poll(&entry, 1, Int32(seconds * 1000)) == 1
    }

    /// The pending notices except xruns, which a busy machine causes at any time.
    private func notices(from output: RemoteIO) -> [RemoteIO.Notice] {
      output.takeNotices().filter { if case .xruns = $0 { false } else { true } }
    }

    /// The notices, except xruns, up to one that fulfils the condition.
    private func notices(
      from output: RemoteIO, until isLast: (RemoteIO.Notice) -> Bool
    ) -> [RemoteIO.Notice] {
      var all: [RemoteIO.Notice] = []
      _ = eventually {
        all += notices(from: output)
        return all.contains(where: isLast)
      }
      return all
    }

    @Test("report another period, and the sound continues in it")
    func bufferSize() throws {
      try JACKServer.with { server in
        try withIdleOutput { output, _ in
          #expect(notices(from: output).isEmpty)
          for frames in [512, 64, 100] {
            _ = try server.run(["jack_bufsize", "\(frames)"])
            #expect(isReadable(output, seconds: 5))
            let seen = notices(from: output) { $0 == .bufferSizeChanged(frames: frames) }
            #expect(seen.last == .bufferSizeChanged(frames: frames))
            let before = output.cycleCount
            #expect(eventually { output.cycleCount > before + 2 && output.bufferSize == frames })
          }
        }
      }
    }

    @Test("are not needed for the renderer to get the server's period")
    func period() throws {
      try JACKServer.with { server in
        let output = try RemoteIO(configuration())
        let renderer = Renderer(
          sampleRate: output.sampleRate, outputChannels: configuration().outputPortNames.count)
        defer { output.close() }
        #expect(renderer.context.periodFrames == 0)
        try output.start(
          rendering: renderer, meanwhile: { #expect(renderer.context.periodFrames == 256) })
        _ = try server.run(["jack_bufsize", "64"])
        #expect(eventually { renderer.context.periodFrames == 64 })
      }
    }

    @Test("report the begin and the end of freewheeling")
    func freewheel() throws {
      try JACKServer.with { server in
        try withIdleOutput { output, _ in
          _ = try server.run(["jack_freewheel", "y"])
          #expect(isReadable(output, seconds: 5))
          #expect(notices(from: output) { $0 == .freewheeling(true) } == [.freewheeling(true)])
          #expect(output.isFreewheeling)
          _ = try server.run(["jack_freewheel", "n"])
          #expect(notices(from: output) { $0 == .freewheeling(false) } == [.freewheeling(false)])
          let before = output.cycleCount
          #expect(eventually { output.cycleCount > before })
        }
      }
    }

    @Test("report xruns; a server that does not call counts as stalled until it returns")
    func stallAndXRun() throws {
      try JACKServer.with { server in
        try withIdleOutput { output, _ in
          #expect(eventually { output.cycleCount > 10 })
          let before = (xruns: output.xrunCount, cycles: output.cycleCount)
          _ = output.takeNotices()
          server.freeze()
          #expect(eventually { output.isStalled })
          #expect(!output.isServerShutDown)
          server.thaw()
          #expect(eventually { !output.isStalled && output.xrunCount > before.xruns })
          #expect(output.cycleCount > before.cycles)
          // Each xrun is reported once, however many a busy machine adds meanwhile.
          let told = (0..<2).reduce(UInt64(0)) { sum, _ in
            sum
              + output.takeNotices().reduce(0) {
                if case .xruns(let count) = $1 { $0 + count } else { $0 }
              }
          }
          #expect(told > 0 && told <= output.xrunCount - before.xruns)
        }
      }
    }
  }
}
