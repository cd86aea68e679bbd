import CoreData
import StoreInspection

/// Counts the values at a key path in the rows of a query. The store does the counting.
struct BinnedValues {
  let path: String
  let query: RowSelection
  let context: NSManagedObjectContext

  /// The path in the predicate language, with reserved words escaped.
  var key: String { NSExpression(forKeyPath: path).description }

  /// Returns the number of the query's rows or, with a condition, of those that also meet it.
  func count(_ condition: String?) throws -> Int {
    let request = query.request()
    if let condition { request.predicate = try predicate(and: condition) }
    return try query.fetching { try context.count(for: request) }
  }

  private func predicate(and condition: String) throws -> NSPredicate {
    let added = try NSPredicate(validating: condition)
    return query.predicate.map {
      NSCompoundPredicate(andPredicateWithSubpredicates: [$0, added])
    } ?? added
  }

  func bin(_ label: String, _ condition: String) throws -> Histogram.Bin {
    Histogram.Bin(label: label, count: try count(condition), where: condition)
  }

  /// Returns the minimum and maximum, dates as seconds since 2001; nil if there are no values or one of
  /// the two is not finite.
  func range() throws -> (Double, Double)? {
    try ends(\.isFinite) { value in
      (value as? Date)?.timeIntervalSinceReferenceDate ?? (value as? NSNumber)?.doubleValue
    }
  }

  /// Returns the exact minimum and maximum of integers or decimals; nil if there are no values or one end is not a
  /// number.
  func exactRange() throws -> (Decimal, Decimal)? {
    try ends(\.isFinite) { value in
      (value as? NSDecimalNumber)?.decimalValue
        ?? (value as? NSNumber).map { Decimal($0.int64Value) }
    }
  }

  private func ends<Number>(
    _ isFinite: (Number) -> Bool, _ number: (Any?) -> Number?
  ) throws -> (Number, Number)? {
    guard let low = number(try end(ascending: true)), let high = number(try end(ascending: false)),
      isFinite(low), isFinite(high)
    else { return nil }
    return (low, high)
  }

  private func end(ascending: Bool) throws -> Any? {
    let request = query.request()
    // Without this condition, NULL would be the first value in ascending order.
    request.predicate = try predicate(and: "\(key) != nil")
    request.sortDescriptors = [NSSortDescriptor(key: path, ascending: ascending)]
    request.fetchLimit = 1
    return try query.fetching { try context.fetch(request) }.first?.value(forKeyPath: path)
  }

  /// Returns the most frequent values of text, UUID and URI attributes as text, with their frequencies; the most
  /// frequent one is first.
  ///
  /// A request cannot sort groups by their counts. If there are more groups than one request reads, each further
  /// request reads only groups that are more frequent than the least frequent value that would be returned so far. This
  /// excludes most groups.
  ///
  /// - Parameter size: How many groups one request reads: at least `count`.
  func mostFrequent(
    _ count: Int, readingAtATime size: Int = 100_000
  ) throws -> [(value: String, count: Int)] {
    var most: [(value: String, count: Int)] = []
    var least = 0
    while true {
      let groups = try self.groups(by: path, moreThan: least, limit: size)
      let texts: [(value: String, count: Int)] = groups.compactMap { value, count in
        Self.text(value).map { ($0, count) }
      }
      // Keep only the earlier values that this request excludes, because it reads the others again.
      most = most.filter { $0.count <= least } + texts
      most.sort { ($1.count, $0.value) < ($0.count, $1.value) }
      most.removeLast(max(0, most.count - count))
      guard groups.count == size, let last = most.last, last.count > least else { return most }
      least = last.count
    }
  }

  /// Returns each number of members that occurs, with the number of rows that have that many members.
  func memberCounts() throws -> [(members: Int, rows: Int)] {
    try groups(by: path).compactMap { value, count in
      (value as? NSNumber).map { ($0.intValue, count) }
    }
  }

  /// - Parameters:
  ///   - least: The frequency that groups must exceed; nil for all groups.
  ///   - limit: The maximum number of groups; 0 for all.
  private func groups(
    by path: String, moreThan least: Int? = nil, limit: Int = 0
  ) throws -> [(value: Any?, count: Int)] {
    let request = NSFetchRequest<NSDictionary>(entityName: query.entity.name ?? "")
    request.predicate = query.predicate
    request.resultType = .dictionaryResultType
    let count = NSExpressionDescription()
    count.name = "explorerCount"
    count.expression = NSExpression(
      forFunction: "count:", arguments: [NSExpression(forKeyPath: path)])
    count.expressionResultType = .integer64AttributeType
    request.propertiesToGroupBy = [path]
    request.propertiesToFetch = [path, count]
    request.havingPredicate = try least.map {
      try NSPredicate(validating: "$explorerCount > \($0)")
    }
    request.fetchLimit = limit
    return try query.fetching { try context.fetch(request) }.map { row in
      // The value of a composite attribute's element is not under its path, but in the attribute's dictionary.
      (
        row[path] ?? (row as NSDictionary).value(forKeyPath: path),
        (row["explorerCount"] as? NSNumber)?.intValue ?? 0
      )
    }
  }

  private static func text(_ value: Any?) -> String? {
    switch value {
    case let text as String: text
    case let identifier as UUID: identifier.uuidString
    case let address as URL: address.absoluteString
    default: nil
    }
  }

  /// The maximum number of texts of unsaved objects that are considered.
  private static let unsavedLimit = 200

  /// Returns the current texts of unsaved objects; nil if the context has no unsaved changes.
  func unsavedTexts() -> Set<String>? {
    guard context.hasChanges else { return nil }
    var texts: Set<String> = []
    let stages = stages(of: path)
    for object in context.insertedObjects.union(context.updatedObjects) {
      if texts.count >= Self.unsavedLimit { break }
      for stage in stages where object.entity.isKindOf(entity: stage.entity) {
        if let text = Self.text(object.value(forKeyPath: stage.path)) { texts.insert(text) }
      }
    }
    return texts
  }

  /// Returns a path from the rows, and its rest from the objects that each to-one relationship in it leads to. A change
  /// to any of these objects can change the value at the path.
  private func stages(of path: String) -> [(entity: NSEntityDescription, path: String)] {
    var stages = [(entity: query.entity, path: path)]
    while let last = stages.last, let dot = last.path.firstIndex(of: "."),
      let relationship = last.entity.relationshipsByName[String(last.path[..<dot])],
      let destination = relationship.destinationEntity
    {
      let rest = String(last.path[last.path.index(after: dot)...])
      stages.append((entity: destination, path: rest))
    }
    return stages
  }

  /// Returns the number of members at a path, for each inserted or changed object on the path.
  func unsavedMemberCounts(of path: String) throws -> [Int] {
    let changed = context.insertedObjects.union(context.updatedObjects)
    var counts: [Int] = []
    for stage in stages(of: path) {
      let owners = changed.filter { $0.entity.isKindOf(entity: stage.entity) }
      let column = try ResultColumn.column(stage.path, of: stage.entity, use: "column")
      counts += try TableRow.values(of: column, Array(owners), in: context).map {
        if case .objects(_, let count) = $0 { count } else { 0 }
      }
    }
    return counts
  }
}
