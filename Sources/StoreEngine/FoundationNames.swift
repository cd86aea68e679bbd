// Foundation has types of the same names.
package typealias NSExpression = Predicates.NSExpression
package typealias NSComparisonPredicate = Predicates.NSComparisonPredicate
package typealias NSCompoundPredicate = Predicates.NSCompoundPredicate
