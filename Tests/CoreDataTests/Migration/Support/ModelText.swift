import CoreData

/// Makes a model from a few lines of text, for tests that need many models:
///
///     Person: name string; age i16! = 3; team -> Team.players
///     Player < Person: number i32 was shirt
///     Team was Club, unique name: name string; players ->> Person.team
///
/// `!` means required, `->` to-one, `->>` to-many and `->o` ordered to-many. The name of the inverse
/// follows the full stop. `was` sets the renaming identifier. `abstract`, `unique a b`, `external`,
/// `transient`, `kept` (preserved in the history on deletion) and `derived` (followed by an
/// expression) mean what they say.
enum ModelText {
  static func model(_ text: String) -> NSManagedObjectModel {
    let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
    var entities: [String: NSEntityDescription] = [:]
    var parents: [(String, String)] = []
    var order: [NSEntityDescription] = []
    for line in lines {
      let head = line.prefix { $0 != ":" }.split(separator: ",")
      var words = head[0].split(separator: " ").map(String.init)
      let entity = NSEntityDescription()
      entity.name = words.removeFirst()
      if let place = words.firstIndex(of: "<") { parents.append((words[place + 1], entity.name!)) }
      if let place = words.firstIndex(of: "was") { entity.renamingIdentifier = words[place + 1] }
      entity.isAbstract = words.contains("abstract")
      entity.uniquenessConstraints = head.dropFirst().compactMap { part in
        let names = part.split(separator: " ").map(String.init)
        return names.first == "unique" ? Array(names.dropFirst()) : nil
      }
      entities[entity.name!] = entity
      order.append(entity)
    }
    var relationships: [(NSRelationshipDescription, String, NSEntityDescription)] = []
    for (line, entity) in zip(lines, order) {
      let body = line.split(separator: ":", maxSplits: 1).dropFirst().first ?? ""
      entity.properties = body.split(separator: ";").compactMap { part in
        let words = part.split(separator: " ").map(String.init)
        guard words.count > 1 else { return nil }
        if words[1].hasPrefix("->") {
          let target = words[2].split(separator: ".").map(String.init)
          let relationship = SampleStack.relationship(
            words[0], to: entities[target[0]]!, toMany: words[1] != "->",
            isOrdered: words[1] == "->o")
          relationship.renamingIdentifier = renaming(words)
          if target.count > 1 { relationships.append((relationship, target[1], entity)) }
          return relationship
        }
        return attribute(words)
      }
    }
    for (parent, child) in parents { entities[parent]?.subentities.append(entities[child]!) }
    let model = NSManagedObjectModel()
    model.entities = order
    for (relationship, inverse, _) in relationships {
      relationship.inverseRelationship =
        relationship.destinationEntity?.relationshipsByName[inverse]
    }
    return model
  }

  private static func renaming(_ words: [String]) -> String? {
    words.firstIndex(of: "was").map { words[$0 + 1] }
  }

  private static func attribute(_ words: [String]) -> NSAttributeDescription {
    let types: [String: NSAttributeType] = [
      "i16": .integer16AttributeType, "i32": .integer32AttributeType,
      "i64": .integer64AttributeType, "double": .doubleAttributeType,
      "float": .floatAttributeType, "decimal": .decimalAttributeType,
      "string": .stringAttributeType, "date": .dateAttributeType, "bool": .booleanAttributeType,
      "data": .binaryDataAttributeType, "uuid": .UUIDAttributeType, "uri": .URIAttributeType,
    ]
    let isDerived = words.contains("derived")
    let attribute = isDerived ? NSDerivedAttributeDescription() : NSAttributeDescription()
    attribute.name = words[0]
    attribute.isOptional = !words[1].hasSuffix("!")
    let type = words[1].replacing("!", with: "")
    attribute.attributeType = types[type] ?? .undefinedAttributeType
    attribute.renamingIdentifier = renaming(words)
    attribute.allowsExternalBinaryDataStorage = words.contains("external")
    attribute.isTransient = words.contains("transient")
    attribute.preservesValueInHistoryOnDeletion = words.contains("kept")
    if let place = words.firstIndex(of: "=") {
      let text = words[place + 1]
      attribute.defaultValue =
        type == "string" ? text as NSString : NSNumber(value: Double(text) ?? 0)
    }
    if let derived = attribute as? NSDerivedAttributeDescription,
      let place = words.firstIndex(of: "derived")
    {
      derived.derivationExpression = NSExpression(format: words[place + 1])
    }
    return attribute
  }
}
