package import CoreData

extension SortTerm {
  /// Returns the terms, preceded by one for the section unless the first term already is.
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
