/// The entities of history requests. Their model is internal to the library; no store contains objects of them.
enum HistoryEntities {
  static let transaction = shared.transaction
  static let change = shared.change

  /// The entities' names are those in the table `Z_PRIMARYKEY` of Apple's stores.
  private static let shared = Entities()

  private final class Entities: @unchecked Sendable {
    let model = NSManagedObjectModel()
    let transaction: NSEntityDescription
    let change: NSEntityDescription

    init() {
      transaction = Self.entity(
        "TRANSACTION",
        [
          "author": .stringAttributeType, "bundleID": .stringAttributeType,
          "contextName": .stringAttributeType, "processID": .stringAttributeType,
          "storeID": .stringAttributeType, "timestamp": .dateAttributeType,
          "token": .integer64AttributeType, "transactionNumber": .integer64AttributeType,
        ])
      change = Self.entity(
        "CHANGE",
        [
          "changeID": .integer64AttributeType, "changeType": .integer64AttributeType,
          "changedEntity": .integer64AttributeType, "changedID": .integer64AttributeType,
          "changedObjectID": .objectIDAttributeType,
        ])
      model.entities = [transaction, change]
    }

    private static func entity(
      _ name: String, _ attributes: [String: NSAttributeType]
    ) -> NSEntityDescription {
      let entity = NSEntityDescription()
      entity.name = name
      entity.properties = attributes.sorted { $0.key < $1.key }.map { name, type in
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        // A stored attribute of this type would be an error in the model.
        attribute.isTransient = type == .objectIDAttributeType
        return attribute
      }
      return entity
    }
  }

  static func request(for entity: NSEntityDescription) -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>()
    request.entity = entity
    return request
  }
}
