extension ModelComparison {
  /// An obstacle to inferring a mapping: the change, the reason and the remedy.
  package struct Obstacle {
    /// For example `Person.age: type String → Date: values of the old type are not valid for the new type`.
    package let text: String
    /// A sentence without its full stop.
    package let advice: String
  }

  /// Returns the changes that prevent inferring a mapping.
  ///
  /// - Parameter isPrepared: Whether the rows already have values for properties that become required.
  package func obstacles(ofPrepared isPrepared: Bool = false) -> [Obstacle] {
    func obstacles(_ changes: [some ComparedChange], of subject: String) -> [Obstacle] {
      changes.compactMap { change in
        guard case .mappingModel(let obstacle) = change.migration else { return nil }
        if isPrepared, (change as? PropertyChange)?.aspect == .optionality { return nil }
        return Obstacle(
          text: "\(subject): \(change.text): \(obstacle.text)", advice: obstacle.advice)
      }
    }
    return entities.flatMap { entity in
      obstacles(entity.changes, of: entity.name)
        + entity.properties.flatMap {
          obstacles($0.changes, of: "\(entity.name).\($0.name)")
        }
    }
  }
}
