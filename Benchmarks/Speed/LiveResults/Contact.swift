import CoreData
import Foundation

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

  /// Makes a request for contacts sorted by team, for sections, and then by rank.
  static func request(batchSize: Int = 20) -> NSFetchRequest<Contact> {
    let request = NSFetchRequest<Contact>(entityName: "Contact")
    request.sortDescriptors = [
      NSSortDescriptor(key: "team", ascending: true),
      NSSortDescriptor(key: "rank", ascending: true),
    ]
    request.fetchBatchSize = batchSize
    return request
  }

  /// The floor's statement, with the same order.
  static let sql = "SELECT Z_PK FROM ZCONTACT ORDER BY ZTEAM, ZRANK, Z_PK"
}

extension StoreFolder {
  /// Inserts contacts of a hundred teams into the store.
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
