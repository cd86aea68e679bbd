/// A property's value in the form of stores and snapshots.
@usableFromInline
package enum StoredValue: @unchecked Sendable {
  case null
  /// Integers and Boolean values.
  case integer(Int64)
  /// Doubles and floats, and dates as seconds since 2001-01-01 00:00 UTC.
  case double(Double)
  case decimal(NSDecimalNumber)
  case text(String)
  case data(Data)
  case uuid(UUID)
  case uri(URL)
  /// A value of a transformable attribute, or of one that is not stored because its type is undefined or an object ID.
  /// The library never mutates it.
  case object(OpaqueValue)
  /// The destination of a to-one relationship.
  case reference(NSManagedObjectID)

  package var isNull: Bool { if case .null = self { true } else { false } }

  /// A mark for a value that the row contains but that cannot be read, such as one whose file is missing. It reads as
  /// NULL, and replacing it by NULL is a change. Only snapshots and undo records contain it.
  package static let unreadable = StoredValue.object(unreadableMark)
  private static let unreadableMark = OpaqueValue(())

  /// Whether this is ``unreadable``.
  package var isUnreadable: Bool {
    if case .object(let value) = self { value === Self.unreadableMark } else { false }
  }
}

extension StoredValue: Equatable {
  /// Returns whether replacing one value with the other would change nothing.
  @usableFromInline package static func == (left: StoredValue, right: StoredValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    // In Swift, not-a-number is not equal to itself, so an object with this value would always have changes.
    case (.double(let a), .double(let b)): a == b || (a.isNaN && b.isNaN)
    case (.decimal(let a), .decimal(let b)): a.isEqual(b)
    // Swift treats canonically equivalent strings as equal, but their bytes in a store differ.
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

/// A reference to a value of any type. It keeps ``StoredValue`` small and cheap to copy.
@usableFromInline
package final class OpaqueValue: @unchecked Sendable {
  package private(set) var value: Any
  package init(_ value: Any) { self.value = value }
  deinit { NestedValues.release(&value) }
}
