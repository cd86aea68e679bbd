import StoreEngine

// Foundation declares a type with this name, too.
typealias NSComparisonPredicate = Predicates.NSComparisonPredicate
