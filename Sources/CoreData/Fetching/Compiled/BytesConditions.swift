import Foundation

/// A text, URI, UUID or data attribute compared with a constant, byte by byte as SQLite's BINARY
/// collation does.
final class BytesComparisonCondition: CompiledCondition, @unchecked Sendable {
  private let reader: AttributeReader
  private let comparison: BoundPredicate.Comparison
  private let storage: ByteConstant
  private let constant: UnsafeBufferPointer<UInt8>

  init(
    _ reader: AttributeReader, _ comparison: BoundPredicate.Comparison, _ constant: [UInt8]
  ) {
    self.reader = reader
    self.comparison = comparison
    storage = ByteConstant(constant)
    self.constant = storage.bytes
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    let result = try reader.withBytes(frames) { bytes in
      switch comparison {
      case .equal: ByteString.areEqual(bytes, constant)
      case .notEqual: !ByteString.areEqual(bytes, constant)
      default: comparison.holds(ByteString.order(bytes, constant))
      }
    }
    return Truth(result)
  }
}

/// A text or other bytes among many.
final class BytesSetCondition: CompiledCondition, @unchecked Sendable {
  private let reader: AttributeReader
  private let values: ByteStringSet

  init(_ reader: AttributeReader, _ values: ByteStringSet) {
    self.reader = reader
    self.values = values
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    Truth(try reader.withBytes(frames) { values.contains($0) })
  }
}

/// What the bytes of an attribute begin with.
final class PrefixCondition: CompiledCondition, @unchecked Sendable {
  private let reader: AttributeReader
  private let storage: ByteConstant
  private let pattern: UnsafeBufferPointer<UInt8>

  init(_ reader: AttributeReader, _ pattern: [UInt8]) {
    self.reader = reader
    storage = ByteConstant(pattern)
    self.pattern = storage.bytes
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    Truth(
      try reader.withBytes(frames) { bytes in
        bytes.count >= pattern.count && ByteString.starts(bytes, with: pattern)
      })
  }
}
