package import CoreData

extension SortTerm {
  /// The sort descriptors of terms, and before them the section's, unless the order begins with it.
  package static func descriptors(_ terms: [SortTerm], section: String?) -> [NSSortDescriptor] {
    var terms = terms
    if let section, terms.first?.key != section {
      let given = terms.first { $0.key == section }
      terms.removeAll { $0.key == section }
      terms.insert(SortTerm(key: section, ascending: given?.ascending ?? true), at: 0)
    }
    return terms.map { NSSortDescriptor(key: $0.key, ascending: $0.ascending) }
  }
}
