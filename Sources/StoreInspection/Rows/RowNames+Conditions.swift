package import CoreData

extension RowNames {
  /// Returns a condition in which texts that name rows are the IDs of these rows, wherever rows are compared
  /// with them: `SELF == "p4"`, `team IN {"Team/p1", "Team/p2"}`, `ANY players.objectID == "Player/p7"`.
  ///
  /// The predicate language compares rows with IDs, and has no form to write an ID. A text that names no row
  /// of the compared entity stays, and is reported where the condition is bound to the model.
  package func resolving(_ predicate: NSPredicate, of entity: NSEntityDescription) -> NSPredicate {
    switch predicate {
    case let compound as NSCompoundPredicate:
      let parts = compound.subpredicates
      let resolved = parts.map { resolving($0, of: entity) }
      if zip(parts, resolved).allSatisfy({ $0 === $1 }) { return compound }
      return NSCompoundPredicate(type: compound.compoundPredicateType, subpredicates: resolved)
    case let comparison as NSComparisonPredicate:
      let (left, right) = (comparison.leftExpression, comparison.rightExpression)
      if let rows = comparedEntity(left, in: entity), let ids = ids(right, of: rows) {
        return comparison.comparing(left, ids)
      }
      if let rows = comparedEntity(right, in: entity), let ids = ids(left, of: rows) {
        return comparison.comparing(ids, right)
      }
      return comparison
    default: return predicate
    }
  }

  /// The entity whose rows an expression leads to; nil for all that is no row.
  private func comparedEntity(
    _ expression: NSExpression, in entity: NSEntityDescription
  ) -> NSEntityDescription? {
    switch expression.expressionType {
    case .evaluatedObject: return entity
    case .keyPath:
      var entity = entity
      let keys = expression.keyPath.split(separator: ".").map(String.init)
      for (place, key) in keys.enumerated() {
        if key == "objectID" || key == "SELF", place == keys.count - 1 { return entity }
        guard let relationship = entity.relationshipsByName[key],
          let destination = relationship.destinationEntity
        else { return nil }
        entity = destination
      }
      return entity
    default: return nil
    }
  }

  /// The IDs that a text, or a list of texts, names.
  private func ids(_ expression: NSExpression, of entity: NSEntityDescription) -> NSExpression? {
    switch expression.expressionType {
    case .constantValue:
      guard let text = expression.constantValue as? String,
        let reference = ObjectReference(text), let id = objectID(reference, of: entity)
      else { return nil }
      return NSExpression(forConstantValue: id)
    case .aggregate:
      guard let elements = expression.collection as? [NSExpression], !elements.isEmpty else {
        return nil
      }
      let ids = elements.compactMap { self.ids($0, of: entity) }
      return ids.count == elements.count ? NSExpression(forAggregate: ids) : nil
    default: return nil
    }
  }
}

extension NSComparisonPredicate {
  /// The same comparison of other expressions.
  fileprivate func comparing(
    _ left: NSExpression, _ right: NSExpression
  ) -> NSComparisonPredicate {
    NSComparisonPredicate(
      leftExpression: left, rightExpression: right, modifier: comparisonPredicateModifier,
      type: predicateOperatorType, options: options)
  }
}
