extension ModelComparison {
  /// What stands in the way of inferring a mapping: a change, why, and what helps.
  package struct Obstacle {
    /// `Person.age: type String → Date: values of the old type are none of the new`.
    package let text: String
    /// A sentence without its end.
    package let advice: String
  }

  /// Why no mapping can be inferred, one for each change that stands in the way.
  ///
  /// - Parameter isPrepared: whether rows have values by now where an attribute that they had becomes
  ///   required.
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
