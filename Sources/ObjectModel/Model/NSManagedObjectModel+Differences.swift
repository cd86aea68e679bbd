import Foundation

/// One thing in which two models store objects differently.
package struct ModelDifference: Hashable, Sendable {
  /// The entity that differs.
  package var entity: String
  /// The property that differs, or nil where the entity as a whole does.
  package var property: String?
  /// What differs, as a short sentence, such as `is not in the store's model`.
  package var what: String
}

extension ModelDifference: CustomStringConvertible {
  /// The difference as a line: `Person.age: is Integer 16 here and Integer 32 there`.
  package var description: String {
    guard let property else { return "\(entity): \(what)" }
    return "\(entity).\(property): \(what)"
  }
}

extension NSManagedObjectModel {
  /// What keeps a store of another model from opening with this one.
  ///
  /// Entities and properties are compared by the name. Only what enters version hashes counts; a
  /// difference in an inherited property is told once, at the entity that declares it.
  ///
  /// - Returns: The differences by entity, then by property; empty exactly if all version hashes
  ///   agree.
  package final func differences(from other: NSManagedObjectModel) -> [ModelDifference] {
    let mine = entitiesByName
    let theirs = other.entitiesByName
    let myHashes = entityVersionHashesByName
    let theirHashes = other.entityVersionHashesByName
    var result: [ModelDifference] = []
    for name in Set(mine.keys).union(theirs.keys).sorted(by: { $0.isBefore($1) }) {
      switch (mine[name], theirs[name]) {
      case (let entity?, let twin?):
        guard myHashes[name] != theirHashes[name] else { continue }
        result += entity.differences(from: twin, named: name)
      case (.some, nil):
        result.append(ModelDifference(entity: name, what: "is only in this model"))
      case (nil, _):
        result.append(ModelDifference(entity: name, what: "is only in the other model"))
      }
    }
    return result
  }
}

extension NSEntityDescription {
  fileprivate final func differences(
    from other: NSEntityDescription, named name: String
  ) -> [ModelDifference] {
    var result: [ModelDifference] = []
    func note(_ what: String) { result.append(ModelDifference(entity: name, what: what)) }
    if isAbstract != other.isAbstract {
      note(isAbstract ? "is abstract here and not there" : "is abstract there and not here")
    }
    if superentity?.name != other.superentity?.name {
      note(
        "has the parent \(superentity?.name ?? "none") here "
          + "and \(other.superentity?.name ?? "none") there")
    }
    if (versionHashModifier ?? "") != (other.versionHashModifier ?? "") {
      note("has another version hash modifier")
    }
    if Set(uniquenessConstraintNames) != Set(other.uniquenessConstraintNames) {
      note("has other uniqueness constraints")
    }
    result += propertyDifferences(from: other, named: name)
    if result.isEmpty { note("has a parent entity that differs") }
    return result
  }

  private func propertyDifferences(
    from other: NSEntityDescription, named name: String
  ) -> [ModelDifference] {
    let mine = storedProperties
    let theirs = other.storedProperties
    var result: [ModelDifference] = []
    for key in Set(mine.keys).union(theirs.keys).sorted(by: { $0.isBefore($1) }) {
      let what: String
      switch (mine[key], theirs[key]) {
      case (let property?, let twin?):
        guard property.versionHash != twin.versionHash else { continue }
        what = property.difference(from: twin)
      case (.some, nil): what = "is only in this model"
      case (nil, _): what = "is only in the other model"
      }
      result.append(ModelDifference(entity: name, property: key, what: what))
    }
    return result
  }

  private var storedProperties: [String: NSPropertyDescription] {
    let stored = ownProperties.filter {
      !$0.isTransient && !($0 is NSFetchedPropertyDescription)
    }
    return Dictionary(stored.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
  }
}

extension NSPropertyDescription {
  /// What differs between two properties of the same name whose hashes differ.
  fileprivate final func difference(from other: NSPropertyDescription) -> String {
    var parts: [String] = []
    func compare(_ mine: String, _ theirs: String) {
      if mine != theirs { parts.append("is \(mine) here and \(theirs) there") }
    }
    compare(kindText, other.kindText)
    compare(isOptional ? "optional" : "required", other.isOptional ? "optional" : "required")
    if let mine = self as? NSRelationshipDescription,
      let theirs = other as? NSRelationshipDescription
    {
      compare(mine.countText, theirs.countText)
      compare(mine.isOrdered ? "ordered" : "unordered", theirs.isOrdered ? "ordered" : "unordered")
      compare(mine.inverseText, theirs.inverseText)
    }
    if let mine = self as? NSAttributeDescription, let theirs = other as? NSAttributeDescription {
      compare(mine.storageText, theirs.storageText)
    }
    if (versionHashModifier ?? "") != (other.versionHashModifier ?? "") {
      parts.append("has another version hash modifier")
    }
    return parts.isEmpty ? "differs" : parts.joined(separator: ", ")
  }

  private var kindText: String {
    switch self {
    case let derived as NSDerivedAttributeDescription:
      "derived from \(derived.derivationText ?? "nothing")"
    case let attribute as NSAttributeDescription: attribute.attributeType.modelFileName
    case let relationship as NSRelationshipDescription:
      "a relationship to \(relationship.destinationEntity?.name ?? "nothing")"
    default: "a property"
    }
  }
}

extension NSRelationshipDescription {
  fileprivate var countText: String {
    maxCount == 1 ? "to-one" : "to-many"
  }
  fileprivate var inverseText: String {
    "the inverse of \(inverseRelationship?.name ?? "nothing")"
  }
}

extension NSAttributeDescription {
  fileprivate var storageText: String {
    switch (allowsExternalBinaryDataStorage, preservesValueInHistoryOnDeletion) {
    case (false, false): "stored plainly"
    case (true, false): "stored externally when large"
    case (false, true): "preserved in history"
    case (true, true): "stored externally when large and preserved in history"
    }
  }
}
