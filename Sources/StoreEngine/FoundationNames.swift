// Foundation declares types with these names, too.
package typealias NSExpression = Predicates.NSExpression
package typealias NSComparisonPredicate = Predicates.NSComparisonPredicate
package typealias NSCompoundPredicate = Predicates.NSCompoundPredicate
