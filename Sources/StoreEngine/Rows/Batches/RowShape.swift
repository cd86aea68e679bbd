/// The columns of a row batch, and the column of each slot of each entity.
///
/// All requests for an entity share one shape, so a batch contains only a reference to it. Rows of subentities have
/// the same shape; in each row, the columns of properties that its entity lacks are NULL.
@usableFromInline
package final class RowShape: @unchecked Sendable {
  package enum Column: Equatable {
    /// Integers and Boolean values.
    case integer
    /// Doubles, floats and dates.
    case double
    /// UTF-8: strings, URIs, and decimals as text.
    case text
    /// Bytes: data, UUIDs and transformable values.
    case bytes
    /// A byte that says what follows it: the bytes of the value, or the name of the file that contains them.
    case external
    /// The key of a to-one destination, whose entity always has this index in the model.
    case reference(entity: Int)
    /// The key of a to-one destination. The next column contains the index of its entity.
    case polymorphicReference
    case entityIndex
  }

  @usableFromInline package let model: ModelLayout
  package let columns: [Column]
  /// Whether a column contains text or bytes.
  package let hasBytes: Bool
  /// Reads the files that the cells of external columns refer to.
  package let external: (any ExternalValues)?
  /// The column of each slot number by entity index; -1 for none.
  private let columnNumbers: [[Int16]]
  /// Column number × 4 + kind for each slot with plain values; 0 for other slots. The position of a slot is
  /// entity index × `slotLimit` + slot number.
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
    // 0 can mark slots without plain values, because the kinds begin at 1.
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

  /// A kind of values that are read from a column without a conversion.
  @usableFromInline package enum PlainKind: Int32 {
    case integer = 1
    case double, text
  }

  /// Returns the column of a slot if its values are of a plain kind; otherwise nil.
  @inlinable @inline(__always)
  package func column(ofSlot slot: Int, in layout: EntityLayout, _ kind: PlainKind) -> Int? {
    let column = plainColumns[layout.index &* slotLimit &+ slot]
    return column & 3 == kind.rawValue ? Int(column >> 2) : nil
  }

  /// Returns the column of a slot; nil if the store does not contain it.
  package func column(ofSlot slot: Int, in layout: EntityLayout) -> Int? {
    let numbers = columnNumbers[layout.index]
    guard slot < numbers.count else { return nil }
    let column = numbers[slot]
    return column < 0 ? nil : Int(column)
  }
}
