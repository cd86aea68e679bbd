import CoreData
import ObjectModel
import StoreInspection

/// What a migration would remove from a store, with how much of it the store has.
struct MigrationLosses {
  /// Rows of an entity, or values of a property, that the store has now and will not have.
  struct Loss {
    /// "12 values of Person.firstName".
    let text: String
    /// How the values could be kept; nil where no change of the model is near at hand.
    let advice: String?
  }

  private(set) var losses: [Loss] = []
  /// What the entities and properties of the step at hand were in the store.
  private var origins: [String: Origin]
  private let context: NSManagedObjectContext
  private let stored: Set<String>

  private struct Origin {
    let entity: String
    /// The names of properties in the store by their names in the step; others have no values in the store.
    var properties: [String: String]
  }

  /// - Parameters:
  ///   - context: reads the store as it is; this is called on its queue.
  ///   - stored: the entities that the store has.
  init(
    of model: NSManagedObjectModel, in context: NSManagedObjectContext,
    _ stored: [NSEntityDescription]
  ) {
    self.context = context
    self.stored = Set(stored.compactMap(\.name))
    origins = Dictionary(
      model.entities.compactMap { entity in
        guard let name = entity.name else { return nil }
        let names = entity.propertiesByName.keys
        return (name, Origin(entity: name, properties: Dictionary(zip(names, names)) { $1 }))
      }, uniquingKeysWith: { $1 })
  }

  /// Adds what one step loses, and follows names through it.
  ///
  /// - Parameter isMapped: whether a mapping model says what becomes of the data, so that what it leaves out is
  ///   its author's decision.
  mutating func add(_ comparison: ModelComparison, isMapped: Bool) throws {
    if !isMapped {
      for entity in comparison.entities {
        if entity.new == nil {
          try addRows(of: entity)
        } else {
          for property in entity.properties { try addValues(of: property, in: entity) }
        }
      }
    }
    var next: [String: Origin] = [:]
    for entity in comparison.entities {
      guard let name = entity.new?.name, let old = entity.old?.name.flatMap({ origins[$0] }) else {
        continue
      }
      var origin = Origin(entity: old.entity, properties: [:])
      for (property, source) in entity.sources {
        origin.properties[property.name] = source.flatMap { old.properties[$0.name] }
      }
      next[name] = origin
    }
    origins = next
  }

  private mutating func addRows(of entity: EntityComparison) throws {
    guard let origin = entity.old?.name.flatMap({ origins[$0] }), stored.contains(origin.entity)
    else { return }
    let request = NSFetchRequest<NSManagedObject>(entityName: origin.entity)
    request.includesSubentities = false
    let count = request.entity?.isAbstract == true ? 0 : try context.count(for: request)
    if count > 0 {
      losses.append(Loss(text: "\(CountText.rows(count)) of \(origin.entity)", advice: nil))
    }
  }

  private mutating func addValues(
    of property: PropertyComparison, in entity: EntityComparison
  ) throws {
    let loses = property.changes.contains { change in
      if case .lightweight(let caveat?) = change.migration { caveat.losesData } else { false }
    }
    guard loses, let old = property.old, !(old is NSDerivedAttributeDescription),
      // A removed property is reported by the entity that declared it, another one by its new owner.
      let origin = (property.new == nil ? old.entity : entity.old)?.name.flatMap({ origins[$0] }),
      let name = origin.properties[old.name], stored.contains(origin.entity)
    else { return }
    let request = NSFetchRequest<NSManagedObject>(entityName: origin.entity)
    request.predicate = Self.hasValue(name, old)
    let count = try context.count(for: request)
    if count == 0 { return }
    losses.append(
      Loss(
        text: "\(CountText.counted(count, "value")) of \(origin.entity).\(name)",
        advice: property.new == nil ? Self.advice(on: old, in: entity) : nil))
  }

  /// Rows that have a value of a property.
  private static func hasValue(_ name: String, _ property: NSPropertyDescription) -> NSPredicate? {
    if property is NSCompositeAttributeDescription { return nil }
    let path = NSExpression(forKeyPath: name)
    if (property as? NSRelationshipDescription)?.isToMany == true {
      return NSComparisonPredicate(
        leftExpression: NSExpression(forKeyPath: name + ".@count"),
        rightExpression: NSExpression(forConstantValue: 0), modifier: .direct, type: .greaterThan)
    }
    return NSComparisonPredicate(
      leftExpression: path, rightExpression: NSExpression(forConstantValue: nil),
      modifier: .direct, type: .notEqualTo)
  }

  /// Says that a property which was probably renamed needs a renaming identifier.
  private static func advice(
    on removed: NSPropertyDescription, in entity: EntityComparison
  ) -> String? {
    let added = entity.properties.filter { property in
      property.old == nil && property.new.map { isAlike(removed, $0) } == true
    }.map(\.name)
    guard !added.isEmpty else { return nil }
    return
      "\(entity.name): \(removed.name) is removed and \(added.joined(separator: ", ")) added with"
      + " the same type. If it was renamed, give the new one the renaming identifier"
      + " \(removed.name), and the values are kept."
  }

  /// Whether a property could hold the values of another one.
  private static func isAlike(_ old: NSPropertyDescription, _ new: NSPropertyDescription) -> Bool {
    switch (old, new) {
    case (let old as NSAttributeDescription, let new as NSAttributeDescription):
      old.attributeType == new.attributeType && !(new is NSDerivedAttributeDescription)
    case (let old as NSRelationshipDescription, let new as NSRelationshipDescription):
      old.isToMany == new.isToMany
        && old.destinationEntity?.name == new.destinationEntity?.name
    default: false
    }
  }
}
