/// Creates rows of one entity from values in memory.
package struct ValueRows {
  package let layout: EntityLayout
  private let shape: RowShape

  package init(_ layout: EntityLayout) {
    self.layout = layout
    var columns: [RowShape.Column] = []
    let numbers = layout.slots.map { slot -> Int16 in
      guard !slot.isTransient else { return -1 }
      let place = Int16(columns.count)
      switch slot.kind {
      case .attribute(let storage):
        switch storage {
        case .integer16, .integer32, .integer64, .boolean: columns.append(.integer)
        case .double, .float, .date: columns.append(.double)
        case .decimal, .string, .uri: columns.append(.text)
        case .data, .uuid, .transformable: columns.append(.bytes)
        case .object: return -1
        }
      case .toOne:
        // The destination may be of a subentity, so its entity is stored, too.
        columns += [.polymorphicReference, .entityIndex]
      case .toMany, .fetched, .composite: return -1
      }
      return place
    }
    shape = RowShape(model: layout.model, columns: columns, columnNumbers: [layout.index: numbers])
  }

  /// Returns a batch with one row.
  ///
  /// - Parameter values: The values in stored form by slot.
  package func batch(key: Int64, version: Int32, _ values: [StoredValue]) -> RowBatch {
    let batch = RowBatch(shape: shape, capacity: 1)
    batch.appendRow(key: key, version: version, entity: layout.index)
    for slot in layout.slots {
      guard let column = shape.column(ofSlot: slot.index, in: layout) else { continue }
      switch values[slot.index] {
      case .integer(let number): batch.set(number, column: column)
      case .double(let number): batch.set(number, column: column)
      case .text(let text): batch.set(text.utf8, column: column)
      case .uri(let uri): batch.set(uri.absoluteString.utf8, column: column)
      case .decimal(let number): batch.set(number.stringValue.utf8, column: column)
      case .data(let data): batch.set(data, column: column)
      case .uuid(let uuid): batch.set(uuid.bytes, column: column)
      case .reference(let id):
        batch.set(id.key, column: column)
        batch.set(Int64(id.layout.index), column: column + 1)
      case .null, .object:
        batch.setNull(column: column)
        if slot.kind == .toOne { batch.setNull(column: column + 1) }
      }
    }
    return batch
  }

  /// Returns the stored form of a composite attribute's elements that a custom store returned.
  package static func stored(
    elementsOf value: Any?, _ slot: PropertySlot, in layout: EntityLayout
  ) throws -> [(slot: Int, value: StoredValue)] {
    try CompositeValue(slot, in: layout).values(of: value).map {
      ($0.slot.index, try stored($0.value, $0.slot, in: layout))
    }
  }

  /// Returns the stored form of an attribute's value that a custom store returned.
  ///
  /// - Throws: "Unacceptable type of value for attribute", with the entity, property and types; another error if the
  ///   attribute's value transformer cannot convert the value to data.
  package static func stored(
    _ value: Any?, _ slot: PropertySlot, in layout: EntityLayout
  ) throws -> StoredValue {
    let kept = try AttributeCodec.stored(AttributeCodec.kept(value, slot, in: layout), slot)
    if case .object = kept { return .null }
    return kept
  }
}
