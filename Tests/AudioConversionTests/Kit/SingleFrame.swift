// SPDX-License-Identifier: MIT

import AudioConversion
import TestKit

/// Converts one frame of 16-bit samples with a converter that a function has prepared.
func convertedFrame(
  _ input: [Int16], outputs: UInt32, rate: Double = 44100,
  _ prepare: (AudioConverter) throws -> Void = { _ in }
) throws -> [Int16] {
  let file = PacketFile(.int16(44100, UInt32(input.count)), bytes: input.rawBytes)
  let puller = try Puller(file, to: .int16(rate, outputs))
  try prepare(puller.converter)
  return puller.fill(1).0[0].int16
}

/// Returns the code of the error that a function throws; nil if it throws none.
func errorCode(_ body: () throws -> Void) -> AudioConversionError.Code? {
  do { try body() } catch { return (error as? AudioConversionError)?.code }
  return nil
}
