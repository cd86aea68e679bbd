extension StoredValue {
  /// Returns the order of two values in a store; nil if either is NULL, as not-a-number is in a column.
  ///
  /// Numbers are compared by value, and text and data byte by byte, like in SQLite's BINARY collation.
  package static func order(_ left: StoredValue, _ right: StoredValue) -> Int? {
    switch (left, right) {
    case (.null, _), (_, .null): return nil
    case (.integer(let a), .integer(let b)): return a < b ? -1 : (a == b ? 0 : 1)
    case (.text(let a), .text(let b)): return bytewise(a, b)
    case (.data(let a), .data(let b)): return bytewise(a, b)
    case (.uuid(let a), .uuid(let b)): return bytewise(a.bytes, b.bytes)
    case (.uri(let a), .uri(let b)): return bytewise(a.absoluteString, b.absoluteString)
    // A column contains the string of a URI.
    case (.uri(let a), .text(let b)): return bytewise(a.absoluteString, b)
    case (.text(let a), .uri(let b)): return bytewise(a, b.absoluteString)
    case (.reference(let a), .reference(let b)):
      return a == b ? 0 : (a.key < b.key ? -1 : 1)
    // A store compares the numbers in its column, which may be rounded.
    case (.decimal, _), (_, .decimal): return order(left.kept, right.kept)
    case (.double(let a), _) where a.isNaN: return nil
    case (_, .double(let b)) where b.isNaN: return nil
    case (.integer(let a), .double(let b)): return order(a, b)
    case (.double(let a), .integer(let b)): return -order(b, a)
    default:
      guard let a = left.number, let b = right.number else {
        return left.storageRank < right.storageRank ? -1 : 1
      }
      return a < b ? -1 : (a == b ? 0 : 1)
    }
  }

  /// Returns the order of two rows' values. NULL comes first, as in SQLite.
  package static func rowOrder(_ left: StoredValue, _ right: StoredValue) -> Int {
    switch (left.isNullInColumn, right.isNullInColumn) {
    case (true, true): 0
    case (true, false): -1
    case (false, true): 1
    case (false, false): order(left, right) ?? 0
    }
  }

  /// Whether the value is NULL in a column, as not-a-number is.
  package var isNullInColumn: Bool {
    switch self {
    case .null: true
    case .double(let value): value.isNaN
    case .decimal(let value): value.decimalValue.isNaN
    default: false
    }
  }

  /// The value as a number, if it is one.
  package var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .double(let value): value
    case .decimal: kept.number
    default: nil
    }
  }

  /// A decimal in the form of its column: an integer if possible, or else the nearest double.
  package var kept: StoredValue {
    guard case .decimal(let value) = self else { return self }
    return Int64(value.stringValue).map(StoredValue.integer)
      // Converts the digits, because Foundation's own conversion loses the last ones.
      ?? .double(Double(value.stringValue) ?? value.doubleValue)
  }

  package static func bytewise(_ left: String, _ right: String) -> Int {
    var left = left
    var right = right
    return left.withUTF8 { a in right.withUTF8 { b in bytewise(a, b) } }
  }

  package static func bytewise(_ left: Data, _ right: Data) -> Int {
    left.withUnsafeBytes { a in
      right.withUnsafeBytes { b in
        bytewise(a.bindMemory(to: UInt8.self), b.bindMemory(to: UInt8.self))
      }
    }
  }

  /// Returns -1, 0 or 1 if the left bytes are less than, equal to or greater than the right ones.
  package static func bytewise(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
  ) -> Int {
    let common = min(left.count, right.count)
    if common > 0, let a = left.baseAddress, let b = right.baseAddress {
      let order = memcmp(a, b, common)
      if order != 0 { return order < 0 ? -1 : 1 }
    }
    return left.count < right.count ? -1 : (left.count == right.count ? 0 : 1)
  }

  /// Compares an integer with a double exactly, because a double cannot represent every 64-bit integer.
  private static func order(_ integer: Int64, _ double: Double) -> Int {
    if double.isNaN { return 1 }
    // The 64-bit integers end at about 9.22e18.
    if double >= 9.3e18 { return -1 }
    if double < -9.3e18 { return 1 }
    let whole = double.rounded(.down)
    guard let other = Int64(exactly: whole) else { return double > 0 ? -1 : 1 }
    if integer != other { return integer < other ? -1 : 1 }
    return whole < double ? -1 : 0
  }

  /// The position of the type in SQLite's order: numbers, text, data.
  private var storageRank: Int {
    switch self {
    case .null: 0
    case .integer, .double, .decimal, .reference: 1
    case .text, .uri: 2
    case .data, .uuid, .object: 3
    }
  }
}
