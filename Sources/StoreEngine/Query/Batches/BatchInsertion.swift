/// A batch insertion with resolved names: the attributes to write, and the source of the rows.
package struct BatchInsertion {
  package enum Source {
    case dictionaries([[String: Any]])
    case dictionaryHandler((NSMutableDictionary) -> Bool)
    case filler(any BatchRowFiller)
    case rowHandler([PropertySlot], (inout BatchRow) -> Bool)
  }

  /// What to do with a row if another row has the same values for a uniqueness constraint.
  package enum Clash {
    case fails
    case isLeftOut
    case updates
  }

  package let layout: EntityLayout
  package let source: Source
  package let clash: Clash
  /// The attributes that are written for every row.
  package let slots: [PropertySlot]
  /// The values of omitted attributes by slot number, in stored form.
  package let defaults: [StoredValue]
  /// Cancelling this object rolls the insertion back.
  package var cancellation: Cancellation?

  /// - Parameters:
  ///   - given: The attributes that every row sets; nil if rows may set any attributes.
  package init(
    _ layout: EntityLayout, source: Source, clash: Clash, given: [PropertySlot]? = nil
  ) throws {
    if layout.entity.isAbstract {
      throw CoreDataError.badRequest("cannot insert rows of entity \(layout.name): it is abstract")
    }
    self.layout = layout
    self.source = source
    self.clash = clash
    let stored = layout.attributeSlots.map { layout.slots[$0] }.filter { !$0.isTransient }
    let defaults = try layout.slots.map { slot in
      slot.storage == nil || slot.isTransient
        ? .null : try AttributeCodec.stored(AttributeCodec.defaultValue(slot), slot)
    }
    self.defaults = defaults
    guard let given else {
      slots = stored
      return
    }
    let derived = layout.derivations.ofRow.map(\.slot)
    // The remaining attributes are NULL in every row, so they need no parameters.
    slots = stored.filter { slot in
      given.contains { $0 === slot } || derived.contains(slot.index)
        || !defaults[slot.index].isNull
    }
  }

  /// Whether new rows may update existing rows with the same unique values. Attributes that a new row does not set then
  /// keep their values in the existing row.
  package var updatesRows: Bool { clash == .updates && !layout.constraints.isEmpty }

  /// The number of rows; nil if a handler or a filler provides them.
  package var count: Int? { if case .dictionaries(let rows) = source { rows.count } else { nil } }

  /// Returns whether a batch request can set a property directly. It sets a composite attribute through its elements.
  package static func isWritable(_ slot: PropertySlot) -> Bool {
    slot.storage != nil && !slot.isTransient && !(slot.property is NSDerivedAttributeDescription)
  }

  package static func relationship(_ slot: PropertySlot, in layout: EntityLayout) -> NSError {
    CoreDataError.badRequest(
      "\(layout.name).\(slot.name) is a relationship, which a batch insertion cannot set")
  }

  /// Returns a value in stored form.
  package static func stored(
    _ value: Any?, _ slot: PropertySlot, in layout: EntityLayout
  ) throws -> StoredValue {
    try AttributeCodec.stored(AttributeCodec.kept(value, slot, in: layout), slot)
  }
}

/// Fills in the rows of a batch insertion with code of the program.
package protocol BatchRowFiller: AnyObject {
  /// Fills in the next row.
  ///
  /// - Parameters:
  ///   - values: The values by slot number, in stored form. They are the values of the previous row at first, and the
  ///     method must replace all of them.
  ///   - presentSlots: Receives the slots that the row sets, in ascending order. Used only if new rows may update
  ///     existing rows.
  /// - Returns: False if there are no more rows.
  func fill(_ values: inout [StoredValue], _ presentSlots: inout [Int]) throws -> Bool
}
