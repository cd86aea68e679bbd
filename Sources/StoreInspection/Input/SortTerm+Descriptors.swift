package import CoreData

extension SortTerm {
  /// Returns the terms in an order that groups the rows by section: the section's key comes first.
  package static func terms(_ terms: [SortTerm], section: String?) -> [SortTerm] {
    guard let section, terms.first?.key != section else { return terms }
    // The user's direction for this key orders the sections too.
    let given = terms.first { $0.key == section }
    return [given ?? SortTerm(key: section, ascending: true)] + terms.filter { $0.key != section }
  }

  package var descriptor: NSSortDescriptor {
    isLocalized
      ? NSSortDescriptor(
        key: key, ascending: ascending, selector: Selector("localizedStandardCompare:"))
      : NSSortDescriptor(key: key, ascending: ascending)
  }
}
