/// Compares a string, URI, UUID or data attribute with a constant byte by byte, as SQLite's BINARY collation does.
final class BytesComparisonCondition: CompiledCondition, @unchecked Sendable {
  private let accessor: AttributeAccessor
  private let comparison: BoundPredicate.Comparison
  // Keeps the memory of `constant` alive, because reading it retains nothing.
  private let storage: ByteConstant
  private let constant: UnsafeBufferPointer<UInt8>

  init(
    _ accessor: AttributeAccessor, _ comparison: BoundPredicate.Comparison, _ constant: [UInt8]
  ) {
    self.accessor = accessor
    self.comparison = comparison
    storage = ByteConstant(constant)
    self.constant = storage.bytes
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    if accessor.isInCell(frames) {
      return accessor.cellBytes(frames).map { Truth(holds($0)) } ?? .unknown
    }
    return Truth(try accessor.withBytes(frames, holds))
  }

  @inline(__always)
  private func holds(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    switch comparison {
    case .equal: ByteString.areEqual(bytes, constant)
    case .notEqual: !ByteString.areEqual(bytes, constant)
    default: comparison.holds(StoredValue.bytewise(bytes, constant))
    }
  }
}

/// Whether the bytes of an attribute are in a set of constants.
final class BytesSetCondition: CompiledCondition, @unchecked Sendable {
  private let accessor: AttributeAccessor
  private let values: ByteStringSet

  init(_ accessor: AttributeAccessor, _ values: ByteStringSet) {
    self.accessor = accessor
    self.values = values
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    if accessor.isInCell(frames) {
      return accessor.cellBytes(frames).map { Truth(values.contains($0)) } ?? .unknown
    }
    return Truth(try accessor.withBytes(frames, values.contains))
  }
}

/// Whether the bytes of an attribute begin with a constant.
final class PrefixCondition: CompiledCondition, @unchecked Sendable {
  private let accessor: AttributeAccessor
  private let storage: ByteConstant
  private let pattern: UnsafeBufferPointer<UInt8>

  init(_ accessor: AttributeAccessor, _ pattern: [UInt8]) {
    self.accessor = accessor
    storage = ByteConstant(pattern)
    self.pattern = storage.bytes
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    if accessor.isInCell(frames) {
      return accessor.cellBytes(frames).map { Truth(Self.starts($0, pattern)) } ?? .unknown
    }
    return Truth(try accessor.withBytes(frames) { [pattern] in Self.starts($0, pattern) })
  }

  @inline(__always)
  private static func starts(
    _ bytes: UnsafeBufferPointer<UInt8>, _ pattern: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    bytes.count >= pattern.count && ByteString.starts(bytes, with: pattern)
  }
}
