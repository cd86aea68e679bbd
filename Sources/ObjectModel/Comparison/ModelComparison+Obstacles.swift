extension ModelComparison {
  /// Why no mapping can be inferred, a text for each change that stands in the way: `Person.age: type
  /// String → Date: values of the old type are none of the new`.
  ///
  /// - Parameter isPrepared: whether rows have values by now where an attribute that they had becomes
  ///   required.
  package func obstacleTexts(ofPrepared isPrepared: Bool = false) -> [String] {
    func texts(_ changes: [some ComparedChange], of subject: String) -> [String] {
      changes.compactMap { change in
        guard case .mappingModel(let obstacle) = change.migration else { return nil }
        if isPrepared, (change as? PropertyChange)?.aspect == .optionality { return nil }
        return "\(subject): \(change.text): \(obstacle.text)"
      }
    }
    return entities.flatMap { entity in
      texts(entity.changes, of: entity.name)
        + entity.properties.flatMap { texts($0.changes, of: "\(entity.name).\($0.name)") }
    }
  }
}
