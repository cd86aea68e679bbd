import OrderedCollections

/// Checks the objects that a relationship is set to, and converts collections of them.
enum RelationshipCodec {
  static func object(
    _ value: Any?, _ slot: PropertySlot, in layout: EntityLayout
  ) throws -> NSManagedObject? {
    guard let value = flattenOptional(value), !isNullObject(value) else { return nil }
    guard let object = value as? NSManagedObject, accepts(object, slot) else {
      throw unacceptable(value, "to-one relationship", slot, layout)
    }
    return object
  }

  static func objects(
    _ value: Any?, _ slot: PropertySlot, in layout: EntityLayout
  ) throws -> OrderedSet<NSManagedObject> {
    guard let value = flattenOptional(value), !isNullObject(value) else { return [] }
    let members: [Any]? =
      switch value {
      case let set as NSSet: Array(set)
      case let set as NSOrderedSet: Array(set)
      case let array as NSArray: Array(array)
      case let set as Set<NSManagedObject>: Array(set)
      default: nil
      }
    let kind = slot.relationship?.isOrdered == true ? "ordered to-many" : "to-many"
    guard let members else { throw unacceptable(value, "\(kind) relationship", slot, layout) }
    var objects = OrderedSet<NSManagedObject>()
    for member in members {
      guard let object = member as? NSManagedObject, accepts(object, slot) else {
        throw unacceptable(member, "\(kind) relationship", slot, layout)
      }
      objects.append(object)
    }
    return objects
  }

  private static func accepts(_ object: NSManagedObject, _ slot: PropertySlot) -> Bool {
    guard let destination = slot.relationship?.destination else { return false }
    return object.layout.isKind(of: destination)
      || object.layout.name == destination.name
  }

  private static func unacceptable(
    _ value: Any, _ kind: String, _ slot: PropertySlot, _ layout: EntityLayout
  ) -> NSError {
    // The text is that of Apple's exception.
    CoreDataError.badRequest(
      "Unacceptable type of value for \(kind): property = \"\(layout.name).\(slot.name)\"; desired"
        + " type = \(slot.relationship?.destination.name ?? "none"); given type ="
        + " \((value as? NSManagedObject)?.layout.name ?? "\(type(of: value))"); value ="
        + " \(MessageText.description(of: value)).")
  }
}
