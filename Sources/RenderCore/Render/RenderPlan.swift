// SPDX-License-Identifier: MIT

/// A compiled graph: the operations of a cycle, in order. Made off the render thread. It does not change, except
/// for the addresses of a cycle's outputs, and for those of a feedback loop's frames.
@safe
struct RenderPlan: ~Copyable {
  let operations: UnsafeMutableBufferPointer<GraphOperation>
  /// The buffers that the operations' ranges index: the outputs of the cycle, then the pool's.
  let table: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  let tableCount: Int
  /// The addresses of the table before a feedback loop advances them.
  let origins: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  /// The same number of addresses, for the outputs that callbacks receive.
  let addresses: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  /// Whether sources are the only nodes that take time.
  let hasOnlySources: Bool
  /// Larger than the serial of every older plan.
  let serial: UInt64
  /// The sources, in the order in which they render.
  let units: UnsafeMutableBufferPointer<UnsafeMutablePointer<SourceUnit>>
  let captures: UnsafeMutableBufferPointer<UnsafeMutablePointer<CaptureUnit>>
  /// The gains to which the edges fade from the first cycle on.
  let steps: UnsafeMutableBufferPointer<EdgeStep>
  /// The length of those fades.
  let fadeFrames: Int
  /// The frames before those fades.
  let warmUpFrames: Int

  /// - Parameters:
  ///   - pool: at least as many buffers as the compiler needs.
  ///   - outputs: buffers that replace the outputs until the first cycle.
  init(
    _ model: GraphModel, _ compiler: GraphCompiler, pool: [UnsafeMutablePointer<Float>],
    outputs: [UnsafeMutablePointer<Float>], fadeFrames: Int, warmUpFrames: Int
  ) {
    unsafe operations = Self.flat(compiler.operations)
    let buffers = unsafe Self.flat(outputs + pool.prefix(compiler.poolCount))
    unsafe table = buffers.baseAddress!
    tableCount = buffers.count
    unsafe origins = .allocate(capacity: max(1, tableCount))
    unsafe origins.initialize(from: table, count: tableCount)
    unsafe addresses = .allocate(capacity: max(1, buffers.count))
    hasOnlySources = compiler.hasOnlySources
    serial = model.serial
    unsafe units = Self.flat(compiler.units)
    let captures = model.captures(of: model.input) + model.captures(of: model.output)
    unsafe self.captures = Self.flat(captures.map { unsafe $0.unit })
    unsafe steps = Self.flat(model.edges.map { EdgeStep($0) })
    self.fadeFrames = fadeFrames
    self.warmUpFrames = warmUpFrames
  }

  private static func flat<Element>(_ list: [Element]) -> UnsafeMutableBufferPointer<Element> {
    // At least one, so that the address is not nil.
    let buffer = UnsafeMutablePointer<Element>.allocate(capacity: max(1, list.count))
    for (index, element) in list.enumerated() {
      unsafe (buffer + index).initialize(to: element)
    }
    return unsafe UnsafeMutableBufferPointer(start: buffer, count: list.count)
  }

  deinit {
    unsafe operations.deallocate()
    unsafe table.deallocate()
    unsafe origins.deallocate()
    unsafe addresses.deallocate()
    unsafe units.deallocate()
    unsafe captures.deallocate()
    unsafe steps.deallocate()
  }
}
