/// A batch insertion with its names resolved: the attributes that are written, and where the rows
/// come from.
package struct BatchInsertion {
  package enum Source {
    case dictionaries([[String: Any]])
    case dictionaryHandler((NSMutableDictionary) -> Bool)
    case filler(any BatchRowFiller)
    case rowHandler([PropertySlot], (inout BatchRow) -> Bool)
  }

  /// What becomes of a row with the unique values of another.
  package enum Clash {
    case fails
    case isLeftOut
    case updates
  }

  package let layout: EntityLayout
  package let source: Source
  package let clash: Clash
  /// The attributes that every row is written with.
  package let slots: [PropertySlot]
  /// By slot number: the value of an attribute that is not given, in the form that stores write.
  package let defaults: [StoredValue]
  /// Ends the insertion early, without a trace.
  package var cancellation: Cancellation?

  /// - Parameters:
  ///   - given: the attributes that every row gives; nil where a row may give any.
  package init(
    _ layout: EntityLayout, source: Source, clash: Clash, given: [PropertySlot]? = nil
  ) throws {
    if layout.entity.isAbstract {
      throw CoreDataError.badRequest("no row can be of entity \(layout.name): it is abstract")
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
    slots = stored.filter { slot in
      given.contains { $0 === slot } || derived.contains(slot.index)
        || !defaults[slot.index].isNull
    }
  }

  /// Whether rows may be written into others that have the same unique values, so that it matters which
  /// attributes each row gives.
  package var updatesRows: Bool { clash == .updates && !layout.constraints.isEmpty }

  /// How many rows there are; nil where a handler knows it.
  package var count: Int? { if case .dictionaries(let rows) = source { rows.count } else { nil } }

  /// Whether a batch request may give the value of a property.
  package static func isWritable(_ slot: PropertySlot) -> Bool {
    slot.storage != nil && !slot.isTransient && !(slot.property is NSDerivedAttributeDescription)
  }

  package static func relationship(_ slot: PropertySlot, in layout: EntityLayout) -> NSError {
    CoreDataError.badRequest(
      "\(layout.name).\(slot.name) is a relationship, which a batch insertion cannot set")
  }

  /// A value in the form that stores write.
  package static func stored(
    _ value: Any?, _ slot: PropertySlot, in layout: EntityLayout
  ) throws -> StoredValue {
    try AttributeCodec.stored(AttributeCodec.kept(value, slot, in: layout), slot)
  }
}

/// Fills in rows by a program's code.
package protocol BatchRowFiller: AnyObject {
  /// Fills in the next row.
  ///
  /// - Parameters:
  ///   - values: by slot number, in the form that stores write: those of the row before, all of which are replaced.
  ///   - presentSlots: the slots that the row sets, in ascending order; set where rows may be written into others.
  /// - Returns: false when there is none.
  func fill(_ values: inout [StoredValue], _ presentSlots: inout [Int]) throws -> Bool
}
