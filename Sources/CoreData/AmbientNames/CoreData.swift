// `import CoreData` also imports these modules, so that programs see the same names as on Apple's platforms. The other
// files of this module see them too, and import only what is not re-exported here.
@_exported public import Foundation
@_exported public import ObjectModel
@_exported public import Predicates
@_exported public import StoreEngine
@_exported public import class Predicates.NSComparisonPredicate
@_exported public import class Predicates.NSCompoundPredicate
@_exported public import class Predicates.NSExpression
@_exported public import struct Predicates.SortDescriptor

// Foundation declares types with these names too. Outside Apple's platforms, most of them cannot be instantiated, and
// Foundation's `SortDescriptor` does less than on Apple's platforms.
typealias NSExpression = Predicates.NSExpression
typealias NSComparisonPredicate = Predicates.NSComparisonPredicate
typealias NSCompoundPredicate = Predicates.NSCompoundPredicate
typealias SortDescriptor = Predicates.SortDescriptor
