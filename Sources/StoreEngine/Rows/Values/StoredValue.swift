/// A property's value in the form in which stores and snapshots keep it.
@usableFromInline
package enum StoredValue: @unchecked Sendable {
  case null
  /// Integers and booleans.
  case integer(Int64)
  /// Floating numbers, and dates as seconds since 2001-01-01 00:00 UTC.
  case double(Double)
  case decimal(NSDecimalNumber)
  case text(String)
  case data(Data)
  case uuid(UUID)
  case uri(URL)
  /// A transformable or transient value; never changed in place by the library.
  case object(OpaqueValue)
  /// The destination of a to-one relationship.
  case reference(NSManagedObjectID)

  package var isNull: Bool { if case .null = self { true } else { false } }

  /// Marks a value that the row has and that cannot be read, such as one whose file is missing. It reads as NULL, and
  /// writing NULL over it is a change. Only snapshots and undo records hold it.
  package static let unreadable = StoredValue.object(unreadableMark)
  private static let unreadableMark = OpaqueValue(())

  /// Whether this is ``unreadable``.
  package var isUnreadable: Bool {
    if case .object(let value) = self { value === Self.unreadableMark } else { false }
  }
}

extension StoredValue: Equatable {
  /// Whether writing one over the other would change nothing.
  @usableFromInline package static func == (left: StoredValue, right: StoredValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.double(let a), .double(let b)): a == b || (a.isNaN && b.isNaN)
    case (.decimal(let a), .decimal(let b)): a.isEqual(b)
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.data(let a), .data(let b)): a == b
    case (.uuid(let a), .uuid(let b)): a == b
    case (.uri(let a), .uri(let b)): a == b
    case (.reference(let a), .reference(let b)): a == b
    case (.object(let a), .object(let b)):
      a === b || NestedValues.areEqual(a.value, b.value)
    default: false
    }
  }
}

/// A value of any type behind one reference, so that all other stored values are small and are
/// looked at without knowing that type.
@usableFromInline
package final class OpaqueValue: @unchecked Sendable {
  package private(set) var value: Any
  package init(_ value: Any) { self.value = value }
  deinit { NestedValues.release(&value) }
}
