import Predicates

// Files here import Foundation too, which has classes of the same names.
typealias NSExpression = Predicates.NSExpression
typealias NSComparisonPredicate = Predicates.NSComparisonPredicate
typealias NSCompoundPredicate = Predicates.NSCompoundPredicate
typealias SortDescriptor = Predicates.SortDescriptor
