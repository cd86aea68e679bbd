import Foundation
import ObjectModel

/// A batch insertion with its names resolved: the attributes that are written, and where the rows
/// come from.
struct BatchInsertion {
  enum Source {
    case dictionaries([[String: Any]])
    case dictionaryHandler((NSMutableDictionary) -> Bool)
    case objectHandler((NSManagedObject) -> Bool)
    case rowHandler([PropertySlot], (inout BatchRow) -> Bool)
  }

  /// What becomes of a row with the unique values of another.
  enum Clash {
    case fails
    case isLeftOut
    case updates
  }

  let layout: EntityLayout
  let source: Source
  let clash: Clash
  /// The attributes that every row is written with.
  let slots: [PropertySlot]
  /// By slot number: the value of an attribute that is not given, in the form that stores write.
  let defaults: [StoredValue]
  /// Ends the insertion early, without a trace.
  var cancellation: Cancellation?

  init(_ request: NSBatchInsertRequest, _ policy: NSMergePolicy, in model: ModelLayout) throws {
    let layout = try request.layout(in: model)
    if layout.entity.isAbstract {
      throw CoreDataError.badRequest("no row can be of entity \(layout.name): it is abstract")
    }
    self.layout = layout
    clash =
      switch policy.mergeType {
      case .errorMergePolicyType: .fails
      case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType: .isLeftOut
      case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType: .updates
      }
    let stored = layout.attributeSlots.map { layout.slots[$0] }.filter { !$0.isTransient }
    defaults = try layout.slots.map { slot in
      slot.storage == nil || slot.isTransient
        ? .null : try AttributeCodec.stored(AttributeCodec.defaultValue(slot), slot)
    }
    if let handler = request.rowHandler {
      let given = try request.rowProperties.map { try Self.attribute($0, of: layout) }
      source = .rowHandler(given, handler)
      let derived = layout.rowDerivations.map(\.slot)
      let defaults = defaults
      slots = stored.filter { slot in
        given.contains { $0 === slot } || derived.contains(slot.index)
          || !defaults[slot.index].isNull
      }
    } else {
      if let handler = request.managedObjectHandler {
        source = .objectHandler(handler)
      } else if let handler = request.dictionaryHandler {
        source = .dictionaryHandler(handler)
      } else {
        source = .dictionaries(request.objectsToInsert ?? [])
      }
      slots = stored
    }
  }

  /// Whether rows may be written into others that have the same unique values, so that it matters which
  /// attributes each row gives.
  var updatesRows: Bool { clash == .updates && !layout.constraints.isEmpty }

  /// How many rows there are; nil where a handler knows it.
  var count: Int? { if case .dictionaries(let rows) = source { rows.count } else { nil } }

  private static func attribute(_ name: String, of layout: EntityLayout) throws -> PropertySlot {
    guard let slot = layout.slot(named: name) else {
      throw CoreDataError.unknownKey(name, in: layout)
    }
    guard isWritable(slot) else {
      throw CoreDataError.badRequest(
        "\(layout.name).\(name) cannot be inserted: it is no attribute that a store keeps as it is"
          + " given")
    }
    return slot
  }

  /// Whether a batch request may give the value of a property.
  static func isWritable(_ slot: PropertySlot) -> Bool {
    slot.storage != nil && !slot.isTransient && !(slot.property is NSDerivedAttributeDescription)
  }

  /// A value in the form that stores write.
  static func stored(
    _ value: Any?, _ slot: PropertySlot, in layout: EntityLayout
  ) throws -> StoredValue {
    try AttributeCodec.stored(AttributeCodec.kept(value, slot, in: layout), slot)
  }
}
