/// Combines many comparisons of one property with constants into a single test for membership in a list.
///
/// `a == 1 OR a == 2 OR …` becomes `a IN {1, 2, …}`, and `a != 1 AND a != 2 AND …` becomes `NOT a IN {1, 2, …}`, with
/// the same results for NULL. SQLite looks a value up in a list, while it evaluates comparisons one after another.
package enum EqualityLists {
  /// The minimum number of comparisons to combine.
  package static let fewest = 32

  /// Returns the parts of an AND or OR. If enough of them compare the same property, a list replaces the first of these
  /// comparisons, and the rest of these comparisons are removed.
  package static func joining(
    _ parts: [BoundPredicate], _ type: NSCompoundPredicate.LogicalType
  ) -> [BoundPredicate] {
    guard parts.count >= fewest else { return parts }
    let wanted: BoundPredicate.Comparison = type == .or ? .equal : .notEqual
    var lists: [(path: BoundPath, place: Int, values: [StoredValue])] = []
    var list: [Int?] = []
    for (place, part) in parts.enumerated() {
      guard case .compare(.property(let path), wanted, .constant(let value, let kind)) = part,
        // A list contains no NULL, and only values in the form of the column.
        !value.isNull, kind == path.kind, path.kind != .decimal
      else {
        list.append(nil)
        continue
      }
      // Limits the number of lists to search, so that the time stays linear. Conditions usually compare only a few
      // properties.
      if let known = lists.prefix(8).firstIndex(where: { $0.path == path }) {
        lists[known].values.append(value)
        list.append(known)
      } else {
        lists.append((path, place, [value]))
        list.append(lists.count - 1)
      }
    }
    guard lists.contains(where: { $0.values.count >= fewest }) else { return parts }
    return parts.enumerated().compactMap { place, part in
      guard let number = list[place], lists[number].values.count >= fewest else { return part }
      guard lists[number].place == place else { return nil }
      let among = BoundPredicate.among(.property(lists[number].path), lists[number].values)
      return type == .or ? among : .not(among)
    }
  }
}
