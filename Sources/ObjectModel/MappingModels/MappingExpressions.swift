/// The default expressions of mappings.
package enum MappingExpressions {
  private static var manager: Predicates.NSExpression {
    NSExpression(forVariable: "manager")
  }
  private static var source: Predicates.NSExpression {
    NSExpression(forVariable: "source")
  }

  package static let fetchRequest = "fetchRequestForSourceEntityNamed:predicateString:"
  package static let instancesOfMapping =
    "destinationInstancesForEntityMappingNamed:sourceInstances:"
  package static let instancesOfRelationship =
    "destinationInstancesForSourceRelationshipNamed:sourceInstances:"

  /// Returns an expression for the objects of an entity that match a predicate, without those of its subentities.
  package static func objects(
    ofEntity name: String, predicate: String = "TRUEPREDICATE"
  ) -> Predicates.NSExpression {
    NSFetchRequestExpression.expression(
      forFetch: NSExpression(
        forFunction: manager, selectorName: fetchRequest, arguments: [name, predicate]),
      context: manager.appending(keyPath: "sourceContext"), countOnly: false)
  }

  /// Returns an expression for a value of the source object.
  package static func value(forKeyPath keyPath: String) -> Predicates.NSExpression {
    source.appending(keyPath: keyPath)
  }

  /// Returns an expression for the objects that an entity mapping created from source objects.
  package static func instances(
    ofMapping name: String, sources: Predicates.NSExpression
  ) -> Predicates.NSExpression {
    NSExpression(
      forFunction: manager, selectorName: instancesOfMapping, arguments: [name, sources])
  }

  /// Returns an expression for the objects that any mapping created from the objects of a source relationship.
  package static func instances(ofRelationship name: String) -> Predicates.NSExpression {
    NSExpression(
      forFunction: manager, selectorName: instancesOfRelationship,
      arguments: [name, value(forKeyPath: name)])
  }
}
