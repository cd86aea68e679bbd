import Foundation

/// Which columns a row batch has, and which column holds which slot of which entity.
///
/// One shape serves all requests for an entity, so a batch carries a pointer to it and nothing
/// more. Rows of subentities are rows of the same shape; a column that an entity does not have is
/// NULL there.
final class RowShape: @unchecked Sendable {
  enum Column: Equatable {
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

  let model: ModelLayout
  let columns: [Column]
  /// Whether some column holds text or bytes.
  let hasBytes: Bool
  /// Where the files are that external columns name.
  let external: ExternalStorage?
  /// By entity index: slot number → column, -1 where there is none.
  private let columnNumbers: [[Int16]]

  init(
    model: ModelLayout, columns: [Column], columnNumbers: [Int: [Int16]],
    external: ExternalStorage? = nil
  ) {
    self.model = model
    self.external = external
    self.columns = columns
    hasBytes = columns.contains { $0 == .text || $0 == .bytes || $0 == .external }
    self.columnNumbers = model.entities.map { columnNumbers[$0.index] ?? [] }
  }

  /// The column of a slot, or nil when the store does not keep it.
  func column(ofSlot slot: Int, in layout: EntityLayout) -> Int? {
    let numbers = columnNumbers[layout.index]
    guard slot < numbers.count else { return nil }
    let column = numbers[slot]
    return column < 0 ? nil : Int(column)
  }
}
