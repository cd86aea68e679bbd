import CoreData
import Foundation
import ObjectModel
import StoreInspection

/// The values of one key path among the rows of a query, counted by the store.
struct BinnedValues {
  let path: String
  let query: RowQuery
  let context: NSManagedObjectContext

  /// How many rows meet a condition besides the query's own; nil for none.
  func count(_ condition: String?) throws -> Int {
    let request = query.request()
    if let condition {
      let bin = try NSPredicate(validating: condition)
      request.predicate =
        query.predicate.map {
          NSCompoundPredicate(andPredicateWithSubpredicates: [$0, bin])
        } ?? bin
    }
    return try query.fetching { try context.count(for: request) }
  }

  func bin(_ label: String, _ condition: String) throws -> Histogram.Bin {
    Histogram.Bin(label: label, count: try count(condition), where: condition)
  }

  /// The least and the greatest value, dates as seconds since 2001; nil where there is none.
  func range() throws -> (Double, Double)? {
    func end(ascending: Bool) throws -> Double? {
      let request = query.request()
      let known = try NSPredicate(validating: "\(path) != nil")
      request.predicate =
        query.predicate.map {
          NSCompoundPredicate(andPredicateWithSubpredicates: [$0, known])
        } ?? known
      request.sortDescriptors = [NSSortDescriptor(key: path, ascending: ascending)]
      request.fetchLimit = 1
      let value = try query.fetching { try context.fetch(request) }.first?.value(forKeyPath: path)
      return (value as? Date)?.timeIntervalSinceReferenceDate ?? (value as? NSNumber)?.doubleValue
    }
    guard let low = try end(ascending: true), let high = try end(ascending: false),
      low.isFinite, high.isFinite
    else { return nil }
    return (low, high)
  }

  /// The different texts with how often each is there.
  func groups(limit: Int) throws -> [(value: String, count: Int)] {
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
    return try query.fetching { try context.fetch(request) }.compactMap { row in
      guard let value = row[path] as? String else { return nil }
      return (value, (row["explorerCount"] as? NSNumber)?.intValue ?? 0)
    }
  }

  /// More texts than these of objects that are not saved are not looked for.
  private static let unsavedLimit = 200

  /// The texts of objects that are not saved as they are; nil where all are saved.
  func unsavedTexts() -> Set<String>? {
    guard context.hasChanges else { return nil }
    var texts: Set<String> = []
    for object in context.insertedObjects.union(context.updatedObjects)
    where object.entity.isKindOf(entity: query.entity) {
      if texts.count >= Self.unsavedLimit { break }
      if let text = object.value(forKeyPath: path) as? String { texts.insert(text) }
    }
    return texts
  }
}
