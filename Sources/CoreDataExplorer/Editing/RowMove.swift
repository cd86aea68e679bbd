import CoreData
import Foundation
import ObjectModel
import StoreInspection

/// A row that is dragged to another place of a table which an attribute gives its order: as few rows as can be
/// get another number.
struct RowMove {
  /// More rows are not numbered anew at once.
  private static let most = 20_000

  private let request: NSFetchRequest<NSManagedObject>
  private let key: String
  private let context: NSManagedObjectContext

  init(
    _ operation: EditOperation, of entity: NSEntityDescription, in context: NSManagedObjectContext
  ) throws {
    let query = try TableQuery(
      entity: entity.name ?? "", condition: operation.where, sort: operation.sort)
    guard let key = query.orderKey(of: entity) else {
      throw WebFailure(status: 400, "the rows have no order that somebody gives them")
    }
    self.key = key
    self.context = context
    request = try query.request(of: entity)
  }

  /// Moves an object to a place, counted when it is taken out.
  func carryOut(_ object: NSManagedObject, to: Int) throws {
    var rows = try context.fetch(request)
    guard let from = rows.firstIndex(of: object), to < rows.count else {
      throw WebFailure(status: 409, "the rows are others now")
    }
    rows.insert(rows.remove(at: from), at: to)
    // Between the old place and the new one the numbers stay and the rows move on by one; where numbers repeat or
    // are missing, those behind are counted up until they fit.
    let moved = min(from, to)...max(from, to)
    let numbers = rows[moved].compactMap(number).sorted()
    var last = moved.lowerBound > 0 ? number(rows[moved.lowerBound - 1]) : nil
    for place in moved.lowerBound..<rows.count {
      let given = place - moved.lowerBound
      let wanted =
        moved.contains(place) ? (given < numbers.count ? numbers[given] : nil) : number(rows[place])
      let least = last.map { $0 + 1 }
      let new = max(wanted ?? least ?? 0, least ?? Int64.min)
      if !moved.contains(place), new == number(rows[place]) { break }
      guard place - moved.lowerBound < Self.most else {
        throw WebFailure(status: 409, "too many rows would get another number")
      }
      if new != number(rows[place]) { try rows[place].setValidatedValue(new, forKey: key) }
      last = new
    }
  }

  private func number(_ object: NSManagedObject) -> Int64? {
    (object.value(forKey: key) as? NSNumber)?.int64Value
  }
}
