import CoreData
import StoreInspection

/// The values of one key path among the rows of a query, counted by the store.
struct BinnedValues {
  let path: String
  let query: RowSelection
  let context: NSManagedObjectContext
  /// The entity whose attribute stands at the end of the path; nil where it is the rows' own.
  var destination: String?

  /// The path as conditions write it: names of properties may be words of predicates.
  var key: String { NSExpression(forKeyPath: path).description }

  /// How many rows meet a condition besides the query's own; nil for none.
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

  /// The least and the greatest value, dates as seconds since 2001; nil where there is none.
  func range() throws -> (Double, Double)? {
    try ends(\.isFinite) { value in
      (value as? Date)?.timeIntervalSinceReferenceDate ?? (value as? NSNumber)?.doubleValue
    }
  }

  /// The least and the greatest of whole or decimal numbers, to the last digit; nil where there is none.
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
    request.predicate = try predicate(and: "\(key) != nil")
    request.sortDescriptors = [NSSortDescriptor(key: path, ascending: ascending)]
    request.fetchLimit = 1
    return try query.fetching { try context.fetch(request) }.first?.value(forKeyPath: path)
  }

  /// The different texts, and values that have one, with how often each is there.
  func groups(limit: Int) throws -> [(value: String, count: Int)] {
    try groups(by: path, limit: limit).compactMap { value, count in
      Self.text(value).map { ($0, count) }
    }
  }

  /// Numbers of members with how many rows have so many.
  func memberCounts() throws -> [(members: Int, rows: Int)] {
    try groups(by: path, limit: 0).compactMap { value, count in
      (value as? NSNumber).map { ($0.intValue, count) }
    }
  }

  private func groups(by path: String, limit: Int) throws -> [(value: Any?, count: Int)] {
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
    request.fetchLimit = limit
    return try query.fetching { try context.fetch(request) }.map { row in
      // Elements of a composite attribute come as it does.
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

  /// More texts than these of objects that are not saved are not looked for.
  private static let unsavedLimit = 200

  /// The texts of objects that are not saved as they are; nil where all are saved.
  func unsavedTexts() -> Set<String>? {
    guard context.hasChanges else { return nil }
    var texts: Set<String> = []
    for object in context.insertedObjects.union(context.updatedObjects) {
      if texts.count >= Self.unsavedLimit { break }
      if object.entity.isKindOf(entity: query.entity),
        let text = Self.text(object.value(forKeyPath: path))
      {
        texts.insert(text)
      }
      // One that rows refer to may have another name now.
      if let destination, let entity = query.entity.managedObjectModel.entitiesByName[destination],
        object.entity.isKindOf(entity: entity), let attribute = path.split(separator: ".").last,
        let text = Self.text(object.value(forKey: String(attribute)))
      {
        texts.insert(text)
      }
    }
    return texts
  }

  /// How many members rows have whose relationship is not saved.
  func unsavedMemberCounts(of relationship: String) throws -> [Int] {
    let changed = context.insertedObjects.union(context.updatedObjects)
      .filter { $0.entity.isKindOf(entity: query.entity) }
    let column = try ResultColumn.column(relationship, of: query.entity, use: "column")
    return try TableRow.values(of: column, Array(changed), in: context).map {
      if case .objects(_, let count) = $0 { count } else { 0 }
    }
  }
}
