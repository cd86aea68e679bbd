/// Reads one slot of a frame's object without boxing the value.
struct AttributeAccessor {
  let frame: Int
  /// The index among the frame's columns.
  let column: Int
  let slot: Int

  /// Returns an integer or boolean; nil for NULL.
  @inline(__always)
  func integer(_ frames: EvaluationFrames) throws -> Int64? {
    if frames[frame].isPlain {
      // Reads single fields, because a copy of the frame would retain its batch.
      let row = frames[frame].row
      let cells = frames[frame].columns[column]
      return cells.isNull(row) ? nil : cells.integer(row)
    }
    return try writtenInteger(frames)
  }

  /// Returns a double or date; nil for NULL and for NaN, which stores cannot represent.
  @inline(__always)
  func double(_ frames: EvaluationFrames) throws -> Double? {
    if frames[frame].isPlain {
      let row = frames[frame].row
      let cells = frames[frame].columns[column]
      return cells.isNull(row) ? nil : cells.double(row)
    }
    return try writtenDouble(frames)
  }

  /// Returns whether the value is in a cell, so that ``cellBytes(_:)`` returns it.
  @inline(__always)
  func isInCell(_ frames: EvaluationFrames) -> Bool { frames[frame].isPlain }

  /// Returns the bytes of a cell; nil for NULL.
  @inline(__always)
  func cellBytes(_ frames: EvaluationFrames) -> UnsafeBufferPointer<UInt8>? {
    let row = frames[frame].row
    let cells = frames[frame].columns[column]
    return cells.isNull(row) ? nil : cells.bytes(row)
  }

  /// Calls `body` with the bytes of text, a URI, a UUID or data, wherever they are stored. Returns nil for NULL.
  @inline(__always)
  func withBytes<Result>(
    _ frames: EvaluationFrames, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) throws -> Result? {
    guard let object = frames[frame].object else { return nil }
    return try object._withUnsafeGuaranteedRef { object in
      if object.contents.isEmpty || object.contents[slot].isUnread {
        if frames[frame].hasCells { return try cellBytes(frames).map(body) }
      } else if let text = object.contents[slot].text,
        let result = try text.utf8.withContiguousStorageIfAvailable(body)
      {
        return result
      }
      // Text that is not contiguous UTF-8 is copied, and values in other forms are converted.
      return try object.storedValue(slot).withBytes(body)
    }
  }

  /// Returns whether the value is NULL.
  @inline(__always)
  func isNull(_ frames: EvaluationFrames) throws -> Bool {
    if frames[frame].isPlain || hasUnwrittenCell(frames) {
      return frames[frame].columns[column].isNull(frames[frame].row)
    }
    return try written(frames).isNullInColumn
  }

  // MARK: Objects with written or cached values

  /// Returns whether the row is in cells, and no written or cached value replaces the cell of this slot.
  @inline(never)
  private func hasUnwrittenCell(_ frames: EvaluationFrames) -> Bool {
    guard frames[frame].hasCells, let object = frames[frame].object else { return false }
    return object._withUnsafeGuaranteedRef { object in
      object.contents.isEmpty || object.contents[slot].isUnread
    }
  }

  @inline(never)
  private func writtenInteger(_ frames: EvaluationFrames) throws -> Int64? {
    guard let object = frames[frame].object else { return nil }
    return try object._withUnsafeGuaranteedRef { object in
      if !object.contents.isEmpty {
        if let value = object.contents[slot].integer { return value }
        if frames[frame].hasCells, object.contents[slot].isUnread {
          let row = frames[frame].row
          let cells = frames[frame].columns[column]
          return cells.isNull(row) ? nil : cells.integer(row)
        }
      }
      if case .integer(let value) = try object.storedValue(slot) { return value }
      return nil
    }
  }

  @inline(never)
  private func writtenDouble(_ frames: EvaluationFrames) throws -> Double? {
    guard let object = frames[frame].object else { return nil }
    return try object._withUnsafeGuaranteedRef { object in
      if !object.contents.isEmpty {
        if let value = object.contents[slot].double { return value.isNaN ? nil : value }
        if frames[frame].hasCells, object.contents[slot].isUnread {
          let row = frames[frame].row
          let cells = frames[frame].columns[column]
          return cells.isNull(row) ? nil : cells.double(row)
        }
      }
      if case .double(let value) = try object.storedValue(slot), !value.isNaN { return value }
      return nil
    }
  }

  /// Returns the value: the one that was set, else the one in the row, else the model's default.
  @inline(never)
  private func written(_ frames: EvaluationFrames) throws -> StoredValue {
    guard let object = frames[frame].object else { return .null }
    return try object._withUnsafeGuaranteedRef { try $0.storedValue(slot) }
  }
}

extension StoredValue {
  /// Calls `body` with the bytes of text, a URI, a UUID or data. Returns nil for anything else.
  func withBytes<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result? {
    switch self {
    case .text(var text): return try text.withUTF8(body)
    case .uri(let uri):
      var text = uri.absoluteString
      return try text.withUTF8(body)
    case .uuid(let uuid):
      return try withUnsafeBytes(of: uuid.uuid) { try $0.withMemoryRebound(to: UInt8.self, body) }
    case .data(let data):
      return try data.withUnsafeBytes { try $0.withMemoryRebound(to: UInt8.self, body) }
    default: return nil
    }
  }
}

// These properties match the content in place, because copying the content would retain its references.
extension SlotContent {
  @inline(__always)
  fileprivate var integer: Int64? {
    switch self {
    case .written(.integer(let value)), .cached(.integer(let value)): value
    default: nil
    }
  }

  @inline(__always)
  fileprivate var double: Double? {
    switch self {
    case .written(.double(let value)), .cached(.double(let value)): value
    default: nil
    }
  }

  @inline(__always)
  fileprivate var text: String? {
    switch self {
    case .written(.text(let value)), .cached(.text(let value)): value
    default: nil
    }
  }
}
