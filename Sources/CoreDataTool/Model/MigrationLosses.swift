import CoreData
import StoreInspection

/// The numbers of rows and values in a store that a migration would remove or truncate.
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
    /// Maps the names of the step's properties, and the key paths of elements of its composite attributes, to those in
    /// the store. A property or element without an entry has no values in the store.
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
        let names = entity.propertiesByName.values.flatMap(Self.paths)
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
  /// - Parameter isMapped: Whether a mapping model determines the new data. Then nothing counts as lost, because what
  ///   the mapping model leaves out is its author's decision.
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
      for case (let property, let source?) in entity.sources {
        origin.properties[property.name] = old.properties[source.name]
        for (part, oldPath) in property.valueSources(in: source) {
          origin.properties[part.path] = old.properties[oldPath]
        }
      }
      next[name] = origin
    }
    origins = next
  }

  /// Returns the name of a property, and the key paths of the elements of a composite attribute.
  private static func paths(of property: NSPropertyDescription) -> Set<String> {
    Set([property.name] + property.valueParts.map(\.path))
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

  /// Adds the values that no property of the new entity receives, because a property, an element or a superentity was
  /// removed, or because a property moved to another branch of the inheritance tree or became transient or derived.
  private mutating func addLostValues(of comparison: ModelComparison) throws {
    /// The lost values of a property, counted in the entity that declares it and its subentities.
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
      for (part, property) in Self.lostParts(of: old, in: entity) {
        guard let name = origin.properties[part.path] else { continue }
        let count = try values.count(of: name, part.property, of: origin.entity)
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
        lost[place].value.advice =
          lost[place].value.advice ?? Self.advice(on: part, of: property, in: entity)
      }
    }
    for (name, lost) in lost { add(.remove, lost.count, "value", of: name, advice: lost.advice) }
  }

  /// Returns the values of an old entity that the new one does not keep, with their properties. For a composite
  /// attribute that is kept, these are its lost elements.
  private static func lostParts(
    of old: NSEntityDescription, in entity: EntityComparison
  ) -> [(part: ValuePart, property: NSPropertyDescription)] {
    var successors: [ObjectIdentifier: NSPropertyDescription] = [:]
    // Derived properties and those that are no longer stored do not keep the old values.
    for case (let new, let old?) in entity.sources where new.isKeptInRows {
      successors[ObjectIdentifier(old)] = new
    }
    return old.properties.filter(\.isKeptInRows).sorted { $0.name < $1.name }.flatMap { property in
      lostParts(of: property, keptBy: successors[ObjectIdentifier(property)])
        .map { (part: $0, property: property) }
    }
  }

  private static func lostParts(
    of old: NSPropertyDescription, keptBy new: NSPropertyDescription?
  ) -> [ValuePart] {
    guard let new else { return [ValuePart(path: old.name, property: old)] }
    let sources = new.valueSources(in: old).filter { $0.part.property.isKeptInRows }
    let kept = Set(sources.map { $0.oldPath })
    return old.valueParts.filter { !kept.contains($0.path) && $0.property.isKeptInRows }
  }

  // MARK: Reduced values

  private mutating func addCutValues(
    of property: PropertyComparison, in comparison: ModelComparison
  ) throws {
    guard let old = property.old, let new = property.new, old.isKeptInRows,
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
    try addCutNumbers(of: old, new, origin)
  }

  /// Adds the numbers that the new type of an attribute, or of an element of a composite one, cannot hold.
  private mutating func addCutNumbers(
    of old: NSPropertyDescription, _ new: NSPropertyDescription, _ origin: Origin
  ) throws {
    guard new.isKeptInRows else { return }
    let types = Dictionary(
      old.valueParts.compactMap { part in
        (part.property as? NSAttributeDescription).map { (part.path, $0.attributeType) }
      }, uniquingKeysWith: { $1 })
    for (part, oldPath) in new.valueSources(in: old) where part.property.isKeptInRows {
      guard let type = (part.property as? NSAttributeDescription)?.attributeType,
        types[oldPath]?.losesNumbers(convertedTo: type) == true,
        let name = origin.properties[oldPath]
      else { continue }
      let count = try values.count(of: name, of: origin.entity, besidesThoseOf: type)
      add(.cut, count, "value", of: "\(origin.entity).\(name)")
    }
  }

  private func cut(
    _ caveat: MigrationCaveat, _ name: String, _ old: NSPropertyDescription,
    _ new: NSPropertyDescription, _ origin: Origin, _ comparison: ModelComparison
  ) throws -> (Change, Int)? {
    switch caveat {
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

  /// Suggests a renaming identifier for a property, or an element of a composite attribute, that was probably renamed.
  private static func advice(
    on removed: ValuePart, of property: NSPropertyDescription, in entity: EntityComparison
  ) -> String? {
    let isElement = removed.property !== property
    let added = (isElement ? addedElements(of: property, in: entity) : addedProperties(in: entity))
      .filter { isAlike(removed.property, $0.property) }.map(\.path)
    guard !added.isEmpty else { return nil }
    return
      "\(entity.name): \(removed.path) is removed and \(added.joined(separator: ", ")) of the same"
      + " type \(added.count == 1 ? "is" : "are") added. If this is a rename, set the renaming"
      + " identifier of the new \(isElement ? "element" : "property") to \(removed.property.name)"
      + " to keep the values."
  }

  private static func addedProperties(in entity: EntityComparison) -> [ValuePart] {
    entity.properties.filter { $0.old == nil }.compactMap(\.new)
      .map { ValuePart(path: $0.name, property: $0) }
  }

  /// Returns the elements that only the new version of a composite attribute has.
  private static func addedElements(
    of old: NSPropertyDescription, in entity: EntityComparison
  ) -> [ValuePart] {
    guard let new = entity.sources.first(where: { $0.old === old })?.new else { return [] }
    let known = Set(new.valueSources(in: old).map { $0.part.path })
    return new.valueParts.filter { !known.contains($0.path) }
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
