import CoreData
import StoreInspection

/// Rows and values that a migration would remove or truncate, with their number in the store.
struct MigrationLosses {
  /// What happens to rows or values, in the order in which messages list them.
  enum Change: String, CaseIterable {
    case remove, cut, reduce
  }

  /// Rows of an entity, or values of a property, that the store loses.
  struct Loss {
    let change: Change
    /// "12 values of Person.firstName".
    let text: String
    /// A simple change to the model that would keep the values; nil if there is none.
    var advice: String?
  }

  private(set) var losses: [Loss] = []
  /// The entities and properties of the current step, mapped to those of the store.
  private var origins: [String: Origin]
  private let values: StoredValueCounts
  private let stored: Set<String>

  private struct Origin {
    let entity: String
    /// The names of properties in the store, by their names in the step; a property that is not in the dictionary
    /// has no values in the store.
    var properties: [String: String]
  }

  /// - Parameters:
  ///   - context: A context that reads the store before the migration. Call this on its queue.
  ///   - stored: The entities in the store.
  init(
    of model: NSManagedObjectModel, in context: NSManagedObjectContext,
    _ stored: [NSEntityDescription]
  ) {
    values = StoredValueCounts(context: context)
    self.stored = Set(stored.compactMap(\.name))
    origins = Dictionary(
      model.entities.compactMap { entity in
        guard let name = entity.name else { return nil }
        let names = entity.propertiesByName.keys
        return (name, Origin(entity: name, properties: Dictionary(zip(names, names)) { $1 }))
      }, uniquingKeysWith: { $1 })
  }

  /// Returns the losses as a verb and its object: "remove", "2 rows of Team, cut 1 value of Person.age".
  static func phrase(_ losses: [Loss]) -> (change: String, what: String) {
    let parts = Change.allCases.compactMap { change -> (String, String)? in
      let texts = losses.filter { $0.change == change }.map(\.text)
      if texts.isEmpty { return nil }
      let ending = change == .reduce ? " to one object each" : ""
      return (change.rawValue, texts.joined(separator: ", ") + ending)
    }
    let rest = parts.dropFirst().map { ", \($0) \($1)" }.joined()
    return (parts.first?.0 ?? "", (parts.first?.1 ?? "") + rest)
  }

  /// Adds the losses of one step, and maps the names of its entities and properties to those of the store.
  ///
  /// - Parameter isMapped: Whether a mapping model determines the new data, so that what it leaves out is its author's
  ///   decision.
  mutating func add(_ comparison: ModelComparison, isMapped: Bool) throws {
    if !isMapped {
      for entity in comparison.entities where entity.new == nil { try addRows(of: entity) }
      try addLostValues(of: comparison)
      for entity in comparison.entities {
        for property in entity.properties { try addCutValues(of: property, in: comparison) }
      }
    }
    var next: [String: Origin] = [:]
    for entity in comparison.entities {
      // Entities without an origin were added by a step, so the store has no rows of them.
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
    add(.remove, try values.rows(of: origin.entity), "row", of: origin.entity)
  }

  private mutating func add(
    _ change: Change, _ count: Int, _ noun: String, of subject: String, advice: String? = nil
  ) {
    guard count > 0 else { return }
    let text = "\(CountText.counted(count, noun)) of \(subject)"
    losses.append(Loss(change: change, text: text, advice: advice))
  }

  // MARK: Removed values

  /// Adds the values of properties from which no property of the new entity gets its values, for whatever reason: a
  /// property or a parent was removed, a property moved to another branch, or became transient or derived.
  private mutating func addLostValues(of comparison: ModelComparison) throws {
    /// The values of a property that an entity declares, summed over all entities that lose it.
    struct Lost {
      var count = 0
      var advice: String?
    }
    // An array instead of a dictionary keeps the order of the model in the messages.
    var lost: [(key: String, value: Lost)] = []
    for entity in comparison.entities where entity.new != nil {
      guard let old = entity.old, let origin = old.name.flatMap({ origins[$0] }),
        stored.contains(origin.entity)
      else { continue }
      // Derived properties and those that are no longer stored do not keep the old values.
      let kept = Set(
        entity.sources.filter { Self.isKeptInRows($0.new) }
          .compactMap { $0.old.map(ObjectIdentifier.init) })
      for property in old.properties.sorted(by: { $0.name < $1.name })
      where !kept.contains(ObjectIdentifier(property)) && Self.isKeptInRows(property) {
        guard let name = origin.properties[property.name] else { continue }
        let count = try values.count(of: name, property, of: origin.entity)
        if count == 0 { continue }
        let owner = property.entity.name.flatMap { origins[$0]?.entity } ?? origin.entity
        // Subentities inherit the property: their values count for the entity that declares it.
        let key = "\(owner).\(name)"
        let place =
          lost.firstIndex { $0.key == key }
          ?? {
            lost.append((key, Lost()))
            return lost.count - 1
          }()
        lost[place].value.count += count
        lost[place].value.advice = lost[place].value.advice ?? Self.advice(on: property, in: entity)
      }
    }
    for (name, lost) in lost { add(.remove, lost.count, "value", of: name, advice: lost.advice) }
  }

  private static func isKeptInRows(_ property: NSPropertyDescription) -> Bool {
    !property.isTransient && !(property is NSFetchedPropertyDescription)
      && !(property is NSDerivedAttributeDescription)
  }

  // MARK: Reduced values

  private mutating func addCutValues(
    of property: PropertyComparison, in comparison: ModelComparison
  ) throws {
    guard let old = property.old, let new = property.new, Self.isKeptInRows(old),
      let origin = old.entity.name.flatMap({ origins[$0] }), stored.contains(origin.entity),
      let name = origin.properties[old.name]
    else { return }
    if let relationship = new as? NSRelationshipDescription, relationship.isToMany,
      (old as? NSRelationshipDescription)?.isOrdered == true, !relationship.isOrdered
    {
      let count = try values.places(of: name, old, of: origin.entity)
      add(.remove, count, "position", of: "\(origin.entity).\(name)")
    }
    for case .lightweight(let caveat?) in property.changes.map(\.migration) {
      if let (change, count) = try cut(caveat.outermost, name, old, new, origin, comparison) {
        add(change, count, "value", of: "\(origin.entity).\(name)")
      }
    }
  }

  private func cut(
    _ caveat: MigrationCaveat, _ name: String, _ old: NSPropertyDescription,
    _ new: NSPropertyDescription, _ origin: Origin, _ comparison: ModelComparison
  ) throws -> (Change, Int)? {
    switch caveat {
    case .numbersAreConverted, .uniqueNumbersAreConverted:
      guard let type = (new as? NSAttributeDescription)?.attributeType else { return nil }
      return (.cut, try values.count(of: name, of: origin.entity, besidesThoseOf: type))
    case .onlyOneMemberIsKept:
      return (.reduce, try values.severalMembers(of: name, of: origin.entity))
    case .onlyOneOwnerIsKept:
      return (.remove, try values.sharedMembers(of: name, old, of: origin.entity))
    case .membersOfOtherEntitiesAreRemoved:
      let kept = (new as? NSRelationshipDescription)?.destinationEntity
        .flatMap { comparison.comparison(ofNew: $0)?.old?.name }.flatMap { origins[$0]?.entity }
      return (.remove, try values.otherMembers(of: name, old, of: origin.entity, than: kept))
    default: return nil
    }
  }

  // MARK: Advice

  /// Suggests a renaming identifier for a property that was probably renamed.
  private static func advice(
    on removed: NSPropertyDescription, in entity: EntityComparison
  ) -> String? {
    let added = entity.properties.filter { property in
      property.old == nil && property.new.map { isAlike(removed, $0) } == true
    }.map(\.name)
    guard !added.isEmpty else { return nil }
    return
      "\(entity.name): \(removed.name) is removed and \(added.joined(separator: ", ")) of the same"
      + " type \(added.count == 1 ? "is" : "are") added. If this is a rename, set the renaming"
      + " identifier of the new property to \(removed.name) to keep the values."
  }

  /// Returns whether a property could hold the values of another one.
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

extension MigrationCaveat {
  /// The effect on the data, without the additional condition under which the migration fails.
  fileprivate var outermost: MigrationCaveat {
    if case .unlessRequired(let caveat?, _) = self { return caveat.outermost }
    return self
  }
}
