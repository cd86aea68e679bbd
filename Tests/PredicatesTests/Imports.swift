import Predicates

// The files of this module also import Foundation, which has classes with the same names.
typealias NSExpression = Predicates.NSExpression
typealias NSComparisonPredicate = Predicates.NSComparisonPredicate
typealias NSCompoundPredicate = Predicates.NSCompoundPredicate
typealias SortDescriptor = Predicates.SortDescriptor
