// One `import CoreData` gives a program what it gets on Apple's platforms. The other files of the module see the
// same, and import only what is not re-exported here.
@_exported public import Foundation
@_exported public import ObjectModel
@_exported public import Predicates
@_exported public import StoreEngine
@_exported public import class Predicates.NSComparisonPredicate
@_exported public import class Predicates.NSCompoundPredicate
@_exported public import class Predicates.NSExpression
@_exported public import struct Predicates.SortDescriptor

// Foundation has types of the same names, which cannot be made on these platforms or, the sort
// descriptor, do less than on Apple's.
typealias NSExpression = Predicates.NSExpression
typealias NSComparisonPredicate = Predicates.NSComparisonPredicate
typealias NSCompoundPredicate = Predicates.NSCompoundPredicate
typealias SortDescriptor = Predicates.SortDescriptor
