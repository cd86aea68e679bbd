// One `import CoreData` gives a program what it gets on Apple's platforms.
@_exported public import Foundation
@_exported public import ObjectModel
@_exported public import Predicates

// Foundation has types of the same names, which cannot be made on these platforms.
typealias NSExpression = Predicates.NSExpression
typealias NSComparisonPredicate = Predicates.NSComparisonPredicate
typealias NSCompoundPredicate = Predicates.NSCompoundPredicate
