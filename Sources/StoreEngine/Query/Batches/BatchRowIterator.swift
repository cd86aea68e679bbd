/// Iterates over the rows of a batch insertion, completes them with default and derived values, and validates them.
package struct BatchRowIterator {
  private let insertion: BatchInsertion
  private let layout: EntityLayout
  /// The values of the current row by slot number, in stored form.
  package private(set) var values: [StoredValue]
  /// The slots that the current row sets, in ascending order. For a row handler or a filler, they are recorded only if
  /// the insertion may update existing rows.
  package private(set) var presentSlots: [Int] = []
  /// The number of rows so far.
  package private(set) var count = 0
  private var row: BatchRow
  /// The slots of the values in `row`, in the same order.
  private let rowSlots: [Int]
  private let dictionary: RowDictionary
  /// Whether a request can set a value, by slot number.
  private let isWritable: [Bool]
  private let mandatory: [PropertySlot]
  private let composites: [CompositeValue]

  package init(_ insertion: BatchInsertion) {
    self.insertion = insertion
    let layout = insertion.layout
    self.layout = layout
    dictionary = RowDictionary(layout)
    var slots: [PropertySlot] = []
    if case .rowHandler(let given, _) = insertion.source { slots = given }
    row = BatchRow(slots, in: layout)
    rowSlots = slots.map(\.index)
    isWritable = layout.slots.map(BatchInsertion.isWritable)
    values = insertion.defaults
    mandatory = layout.attributeSlots.map { layout.slots[$0] }
      // A required element is only missing if its composite attribute has a value, so elements are
      // checked with the attribute.
      .filter { !$0.isOptional && $0.composite == nil && BatchInsertion.isWritable($0) }
    composites = layout.slots.filter { $0.kind == .composite && !$0.isTransient }
      .map { CompositeValue($0, in: layout) }
  }

  /// Moves to the next row and returns true, or returns false if there is none.
  package mutating func next() throws -> Bool {
    switch insertion.source {
    case .dictionaries(let rows):
      guard count < rows.count else { return false }
      clear()
      for (name, value) in rows[count] {
        if let slot = layout.slotNumbers[name] { try set(value, at: slot) }
      }
      // A dictionary has no order of its own.
      presentSlots.sort()
    case .dictionaryHandler(let handler):
      dictionary.removeAllObjects()
      // As in Apple's Core Data, the handler returns true when there are no more rows.
      if handler(dictionary) { return false }
      clear()
      for slot in values.indices {
        if let value = dictionary.values[slot] { try set(value, at: slot) }
      }
      presentSlots.sort()
    case .filler(let filler):
      guard try filler.fill(&values, &presentSlots) else { return false }
    case .rowHandler(_, let handler):
      row.clear()
      let isEnd = handler(&row)
      if let error = row.error { throw error }
      if isEnd { return false }
      if insertion.updatesRows { presentSlots = row.presentSlots }
      row.exchange(with: &values, at: rowSlots)
    }
    count += 1
    derive()
    // Not-a-number is missing, because its column is NULL.
    for slot in mandatory where values[slot.index].isNullInColumn { throw missing(slot) }
    for composite in composites {
      if !composite.slot.isOptional,
        composite.elements.allSatisfy({ values[$0.index].isNullInColumn })
      {
        throw missing(composite.slot)
      }
      if let slot = composite.missingElement({ values[$0.index].isNullInColumn }) {
        throw missing(slot)
      }
    }
    return true
  }

  /// Begins a row that sets no attributes yet.
  private mutating func clear() {
    for slot in values.indices { values[slot] = insertion.defaults[slot] }
    presentSlots.removeAll(keepingCapacity: true)
  }

  /// Sets the value of a property.
  private mutating func set(_ value: Any, at number: Int) throws {
    let slot = layout.slots[number]
    if isWritable[number] {
      values[number] = try BatchInsertion.stored(value, slot, in: layout)
      presentSlots.append(number)
    } else if slot.relationship != nil {
      // A new row has no destination, so NSNull changes nothing.
      if !(value is NSNull) { throw BatchInsertion.relationship(slot, in: layout) }
    } else if slot.kind == .composite, !slot.isTransient {
      for (element, value) in try CompositeValue(slot, in: layout).values(of: value) {
        values[element.index] = try BatchInsertion.stored(value, element, in: layout)
        presentSlots.append(element.index)
      }
    }
  }

  private mutating func derive() {
    for derivation in layout.derivations.ofRow {
      let value = derivation.value(written: { _ in true }, { values[$0] })
      values[derivation.slot] = value ?? .null
    }
  }

  private func missing(_ slot: PropertySlot) -> NSError {
    let what =
      values[slot.index].isNull
      ? "no value for it" : "a value that is not a number, which is stored as a missing value"
    return CoreDataError.make(
      NSValidationMissingMandatoryPropertyError,
      "\(layout.name).\(slot.name) is required, but row \(count) of the batch insertion has \(what)",
      [NSValidationKeyErrorKey: slot.name])
  }
}
