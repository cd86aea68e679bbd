import StoreEngine

// Foundation has a type of the same name.
typealias NSComparisonPredicate = Predicates.NSComparisonPredicate
