import Foundation
import Predicates

/// The expressions that mappings consist of when nobody wrote others.
enum MappingExpressions {
  private static var manager: Predicates.NSExpression {
    NSExpression(forVariable: NSMigrationManagerKey)
  }
  private static var source: Predicates.NSExpression {
    NSExpression(forVariable: NSMigrationSourceObjectKey)
  }

  static let fetchRequest = "fetchRequestForSourceEntityNamed:predicateString:"
  static let instancesOfMapping = "destinationInstancesForEntityMappingNamed:sourceInstances:"
  static let instancesOfRelationship =
    "destinationInstancesForSourceRelationshipNamed:sourceInstances:"

  /// The objects of an entity that meet a predicate, without those of its subentities.
  static func objects(
    ofEntity name: String, predicate: String = "TRUEPREDICATE"
  ) -> Predicates.NSExpression {
    NSFetchRequestExpression.expression(
      forFetch: NSExpression(
        forFunction: manager, selectorName: fetchRequest, arguments: [name, predicate]),
      context: manager.appending(keyPath: "sourceContext"), countOnly: false)
  }

  /// A value of the source object.
  static func value(forKeyPath keyPath: String) -> Predicates.NSExpression {
    source.appending(keyPath: keyPath)
  }

  /// What an entity mapping made of source objects.
  static func instances(
    ofMapping name: String, sources: Predicates.NSExpression
  ) -> Predicates.NSExpression {
    NSExpression(
      forFunction: manager, selectorName: instancesOfMapping, arguments: [name, sources])
  }

  /// What became of the objects of a source relationship, by whichever mapping.
  static func instances(ofRelationship name: String) -> Predicates.NSExpression {
    NSExpression(
      forFunction: manager, selectorName: instancesOfRelationship,
      arguments: [name, value(forKeyPath: name)])
  }
}
