/// Which columns a row batch has, and which column holds which slot of which entity.
///
/// One shape serves all requests for an entity, so a batch carries a pointer to it and nothing
/// more. Rows of subentities are rows of the same shape; a column that an entity does not have is
/// NULL there.
@usableFromInline
package final class RowShape: @unchecked Sendable {
  package enum Column: Equatable {
    /// Integers and booleans.
    case integer
    /// Floating numbers and dates.
    case double
    /// UTF-8: strings, URIs, and decimals as decimal text.
    case text
    /// Bytes: data, UUIDs, transformable values.
    case bytes
    /// Bytes with a mark before them, or the name of the file that has them.
    case external
    /// The key of a to-one destination, always of the entity with this index in the model.
    case reference(entity: Int)
    /// The key of a to-one destination, whose entity's index stands in the next column.
    case polymorphicReference
    case entityIndex
  }

  @usableFromInline package let model: ModelLayout
  package let columns: [Column]
  /// Whether some column holds text or bytes.
  package let hasBytes: Bool
  /// Where the files are that external columns name.
  package let external: (any ExternalValues)?
  /// By entity index: slot number → column, -1 where there is none.
  private let columnNumbers: [[Int16]]
  /// By entity index × `slotLimit` + slot number: column × 4 + kind, or 0.
  @usableFromInline let plainColumns: UnsafeMutablePointer<Int32>
  @usableFromInline let slotLimit: Int

  package init(
    model: ModelLayout, columns: [Column], columnNumbers: [Int: [Int16]],
    external: (any ExternalValues)? = nil
  ) {
    self.model = model
    self.external = external
    self.columns = columns
    hasBytes = columns.contains { $0 == .text || $0 == .bytes || $0 == .external }
    self.columnNumbers = model.entities.map { columnNumbers[$0.index] ?? [] }
    slotLimit = model.entities.map(\.slots.count).max() ?? 0
    plainColumns = .allocate(capacity: max(1, slotLimit * model.entities.count))
    plainColumns.initialize(repeating: 0, count: max(1, slotLimit * model.entities.count))
    for layout in model.entities {
      for slot in layout.slots {
        guard let column = column(ofSlot: slot.index, in: layout),
          let kind = Self.plainKind(slot.storage)
        else { continue }
        plainColumns[layout.index * slotLimit + slot.index] = Int32(column) << 2 | kind.rawValue
      }
    }
  }

  deinit { plainColumns.deallocate() }

  private static func plainKind(_ storage: AttributeStorage?) -> PlainKind? {
    switch storage {
    case .integer16, .integer32, .integer64, .boolean: .integer
    case .double, .float, .date: .double
    case .string: .text
    default: nil
    }
  }

  /// In what form the values of a slot lie in their column, where they lie there as they are given out.
  @usableFromInline package enum PlainKind: Int32 {
    case integer = 1
    case double, text
  }

  /// The column of a slot whose values lie there in a form; nil for other slots.
  @inlinable @inline(__always)
  package func column(ofSlot slot: Int, in layout: EntityLayout, _ kind: PlainKind) -> Int? {
    let column = plainColumns[layout.index &* slotLimit &+ slot]
    return column & 3 == kind.rawValue ? Int(column >> 2) : nil
  }

  /// The column of a slot, or nil when the store does not keep it.
  package func column(ofSlot slot: Int, in layout: EntityLayout) -> Int? {
    let numbers = columnNumbers[layout.index]
    guard slot < numbers.count else { return nil }
    let column = numbers[slot]
    return column < 0 ? nil : Int(column)
  }
}
