/// Makes one list of many comparisons of a value with constants.
///
/// `a == 1 OR a == 2 OR …` is `a IN {1, 2, …}`, and `a != 1 AND a != 2 AND …` is `NOT a IN {1, 2, …}`,
/// NULL included: a list is looked up, and comparisons are tried one by one.
package enum EqualityLists {
  /// Fewer comparisons stay as they are written.
  package static let fewest = 32

  /// The parts of an AND or OR, comparisons with the same value joined in the place of the first.
  package static func joining(
    _ parts: [BoundPredicate], _ type: NSCompoundPredicate.LogicalType
  ) -> [BoundPredicate] {
    guard parts.count >= fewest else { return parts }
    let wanted: BoundPredicate.Comparison = type == .or ? .equal : .notEqual
    var lists: [(path: BoundPath, place: Int, values: [StoredValue])] = []
    var list: [Int?] = []
    for (place, part) in parts.enumerated() {
      guard case .compare(.property(let path), wanted, .constant(let value, let kind)) = part,
        !value.isNull, kind == path.kind, path.kind != .decimal
      else {
        list.append(nil)
        continue
      }
      // A handful of properties, mostly one.
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
