package import CoreData

extension SortKey {
  /// The sort descriptors of keys, and before them the section's, unless the order begins with it.
  package static func descriptors(_ keys: [SortKey], section: String?) -> [NSSortDescriptor] {
    var keys = keys
    if let section, keys.first?.key != section {
      let given = keys.first { $0.key == section }
      keys.removeAll { $0.key == section }
      keys.insert(SortKey(key: section, ascending: given?.ascending ?? true), at: 0)
    }
    return keys.map { NSSortDescriptor(key: $0.key, ascending: $0.ascending) }
  }
}
