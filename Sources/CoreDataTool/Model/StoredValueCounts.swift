import CoreData
import StoreInspection

/// Counts rows and values of a store that is about to be migrated. Use it on the context's queue.
struct StoredValueCounts {
  let context: NSManagedObjectContext

  /// Returns the number of rows of an entity, without those of subentities.
  func rows(of entity: String) throws -> Int { try count(of: entity, nil) }

  /// Returns the number of an entity's rows, without those of subentities, that have a value for a property.
  func count(of name: String, _ property: NSPropertyDescription, of entity: String) throws -> Int {
    try count(of: entity, Self.hasValue(name, property))
  }

  /// Returns the number of an entity's rows, including those of subentities, whose value for an attribute, or for an
  /// element of a composite one, would change if it were converted to another number type.
  func count(
    of name: String, of entity: String, besidesThoseOf type: NSAttributeType
  ) throws -> Int {
    let request = NSFetchRequest<NSDictionary>(entityName: entity)
    // This reads one column instead of whole objects.
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = [name]
    request.predicate = Self.isPresent(name)
    return try context.fetch(request).count { row in
      // The value of an element may be in the dictionary of its composite attribute.
      let value = row[name] ?? row.value(forKeyPath: name)
      return (value as? NSNumber).map { !type.holds($0) } ?? false
    }
  }

  /// Returns the number of rows, including those of subentities, with more than one member in a to-many relationship.
  func severalMembers(of name: String, of entity: String) throws -> Int {
    try count(of: entity, NSPredicate(format: "%K.@count > 1", name), withSubentities: true)
  }

  /// Returns the number of links from owners to members that are lost if each member keeps only one owner.
  func sharedMembers(
    of name: String, _ relationship: NSPropertyDescription, of entity: String
  ) throws -> Int {
    var owners: [NSManagedObjectID: Int] = [:]
    try forEachMember(of: name, relationship, of: entity) { owners[$0, default: 0] += 1 }
    return owners.values.reduce(0) { $0 + $1 - 1 }
  }

  /// Returns the number of members that are not of an entity or its descendants; all members if the entity is nil.
  func otherMembers(
    of name: String, _ relationship: NSPropertyDescription, of entity: String, than kept: String?
  ) throws -> Int {
    var count = 0
    try forEachMember(of: name, relationship, of: entity) { id in
      if kept == nil || !id.entity.lineage.contains(where: { $0.name == kept }) { count += 1 }
    }
    return count
  }

  /// Returns the number of members of an ordered relationship whose position matters, because their owner has other
  /// members too.
  func places(
    of name: String, _ relationship: NSPropertyDescription, of entity: String
  ) throws -> Int {
    var count = 0
    try forEachOwner(of: name, relationship, of: entity) { if $0.count > 1 { count += $0.count } }
    return count
  }

  // MARK: Reading

  private func count(
    of entity: String, _ predicate: NSPredicate?, withSubentities: Bool = false
  ) throws -> Int {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.includesSubentities = withSubentities
    request.predicate = predicate
    if !withSubentities,
      context.persistentStoreCoordinator?.managedObjectModel
        .entitiesByName[entity]?.isAbstract == true
    {
      return 0
    }
    return try context.count(for: request)
  }

  private func forEachMember(
    of name: String, _ relationship: NSPropertyDescription, of entity: String,
    _ body: (NSManagedObjectID) -> Void
  ) throws {
    try forEachOwner(of: name, relationship, of: entity) { $0.forEach(body) }
  }

  /// Calls a block with the members of each owner.
  private func forEachOwner(
    of name: String, _ relationship: NSPropertyDescription, of entity: String,
    _ body: ([NSManagedObjectID]) -> Void
  ) throws {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = Self.hasValue(name, relationship)
    try context.forEachBatch(of: request) { objects in
      for object in objects { body(object.objectIDs(forRelationshipNamed: name)) }
    }
  }

  /// Returns a condition for rows that have a value for a property.
  private static func hasValue(_ name: String, _ property: NSPropertyDescription) -> NSPredicate {
    guard (property as? NSRelationshipDescription)?.isToMany == true else { return isPresent(name) }
    return NSPredicate(format: "%K.@count > 0", name)
  }

  private static func isPresent(_ name: String) -> NSPredicate {
    NSPredicate(format: "%K != nil", name)
  }
}

extension NSAttributeType {
  /// Returns whether converting a number to the type keeps its value.
  func holds(_ number: NSNumber) -> Bool {
    switch self {
    case .booleanAttributeType: Self.whole(number).map { (0...1).contains($0) } ?? false
    case .integer16AttributeType: Self.whole(number).flatMap(Int16.init(exactly:)) != nil
    case .integer32AttributeType: Self.whole(number).flatMap(Int32.init(exactly:)) != nil
    case .integer64AttributeType: Self.whole(number) != nil
    case .floatAttributeType:
      number is NSDecimalNumber
        ? NSDecimalNumber(value: Double(number.floatValue)).compare(number) == .orderedSame
        : Double(Float(number.doubleValue)) == number.doubleValue && Self.isDouble(number)
    case .doubleAttributeType: Self.isDouble(number)
    // A decimal holds integers of 64 bits, and the digits of a double.
    default: true
    }
  }

  /// Returns a number as an integer; nil if it has a fraction or is out of range.
  private static func whole(_ number: NSNumber) -> Int64? {
    guard let decimal = number as? NSDecimalNumber else { return Int64(exactly: number) }
    let value = decimal.int64Value
    return Decimal(value) == decimal.decimalValue ? value : nil
  }

  /// Returns whether the nearest Double has all digits of a number. Fractions that are not decimals are doubles.
  private static func isDouble(_ number: NSNumber) -> Bool {
    if let whole = whole(number) { return Int64(exactly: Double(whole)) == whole }
    return (number as? NSDecimalNumber).map { !$0.isRoundedByColumn } ?? true
  }
}
