import CoreData

/// The sample model with derived attributes that are expressions.
enum DerivedSample {
  /// Adds a derived attribute to an entity.
  static func derive(
    _ model: NSManagedObjectModel, _ entity: String, _ name: String, _ expression: String,
    _ type: NSAttributeType = .integer64AttributeType
  ) {
    let attribute = NSDerivedAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.derivationExpression = NSExpression(format: expression)
    model.entitiesByName[entity]?.properties.append(attribute)
  }

  /// Returns a model with derived attributes of many kinds.
  static func model() -> NSManagedObjectModel {
    let model = SampleStack.makeModel()
    derive(model, "Locker", "teamName", "owner.team.name", .stringAttributeType)
    derive(model, "Locker", "shout", "uppercase:(owner.team.name)", .stringAttributeType)
    derive(model, "Locker", "fellows", "owner.team.players.@count")
    derive(model, "Player", "alias", "name", .stringAttributeType)
    derive(model, "Player", "letters", "length:(name)")
    derive(model, "Player", "twice", "score * 2", .doubleAttributeType)
    derive(model, "Player", "shout", "uppercase:(team.name)", .stringAttributeType)
    // Depends on another derived attribute.
    derive(model, "Player", "volume", "length:(shout)")
    derive(model, "Team", "span", "players.@max.age - players.@min.age")
    derive(model, "Tag", "both", "players.@sum.score + players.@count", .doubleAttributeType)
    return model
  }

  fileprivate static let names: [String: [String]] = [
    "Locker": ["teamName", "shout", "fellows"],
    "Player": ["alias", "letters", "twice", "shout", "volume"], "Team": ["span"], "Tag": ["both"],
  ]
}

extension NSManagedObject {
  /// The values of the sample's derived attributes: numbers as `2.0`, missing values as `nil`.
  var derivedText: String {
    let entity = self.entity.name ?? ""
    return (DerivedSample.names[entity == "Captain" ? "Player" : entity] ?? []).map { name in
      switch value(forKey: name) {
      case let number as NSNumber: "\(number.doubleValue)"
      case let text as String: text
      default: "nil"
      }
    }.joined(separator: " ")
  }
}
