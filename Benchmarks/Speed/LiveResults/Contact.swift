import CoreData
import Foundation
import GRDB

/// A row of a list in sections.
final class Contact: NSManagedObject {
  private static let rankKey = ManagedKey("rank")

  var rank: Int64 {
    get { managedValue(Self.rankKey) }
    set { setManagedValue(newValue, Self.rankKey) }
  }

  static func makeEntity() -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = "Contact"
    entity.managedObjectClassName = String(reflecting: Contact.self)
    entity.properties = [
      StoreModels.attribute("team", .stringAttributeType),
      StoreModels.attribute("rank", .integer64AttributeType),
      StoreModels.attribute("name", .stringAttributeType),
    ]
    return entity
  }

  /// Sections by team, in them by rank.
  static func request(batchSize: Int = 20) -> NSFetchRequest<Contact> {
    let request = NSFetchRequest<Contact>(entityName: "Contact")
    request.sortDescriptors = [
      NSSortDescriptor(key: "team", ascending: true),
      NSSortDescriptor(key: "rank", ascending: true),
    ]
    request.fetchBatchSize = batchSize
    return request
  }

  /// The floor's statement for the same order.
  static let sql = "SELECT Z_PK FROM ZCONTACT ORDER BY ZTEAM, ZRANK, Z_PK"
}

/// The peer's form: what a list shows, to be compared with what it showed. Columns are found by their
/// place in the statements that select them, which is faster than by their name.
struct ContactRecord: FetchableRecord, Equatable {
  let key: Int64
  let team: String
  let rank: Int64
  let name: String

  init(row: Row) {
    key = row[0]
    team = row[1]
    rank = row[2]
    name = row[3]
  }

  static let sql = "SELECT Z_PK, ZTEAM, ZRANK, ZNAME FROM ZCONTACT ORDER BY ZTEAM, ZRANK, Z_PK"
}

extension StoreFolder {
  /// Puts contacts of a hundred teams into the store.
  func insertContacts(_ count: Int) throws {
    var row = 0
    let request = NSBatchInsertRequest(
      entityName: "Contact", properties: ["team", "rank", "name"]
    ) { values in
      if row == count { return true }
      let number = row * 7919 % 1_000_003
      values.set("Team \(number % 100 + 100)", at: 0)
      values.set(Int64(number * 31), at: 1)
      values.set("Contact \(number)", at: 2)
      row += 1
      return false
    }
    try execute(request)
  }
}
