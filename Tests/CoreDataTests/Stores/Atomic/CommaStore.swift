import CoreData

/// A program's custom store. The first line of its text file is the store's UUID. Each other line is an object,
/// `entity,reference,key=value,…`. A to-many relationship is stored as its to-one inverse.
final class CommaStore: NSAtomicStore, @unchecked Sendable {
  static let storeType = "TestCommaStore"

  static func register() {
    NSPersistentStoreCoordinator.registerStoreClass(CommaStore.self, forStoreType: storeType)
  }

  override var type: String { Self.storeType }
  private var path: URL { url ?? URL(fileURLWithPath: "/dev/null") }

  override func loadMetadata() throws {
    var uuid = UUID().uuidString
    if let text = try? String(contentsOf: path, encoding: .utf8),
      let line = text.split(separator: "\n").first
    {
      uuid = String(line)
    }
    metadata = [NSStoreUUIDKey: uuid, NSStoreTypeKey: Self.storeType]
  }

  override func load() throws {
    guard let text = try? String(contentsOf: path, encoding: .utf8) else { return }
    let entities = persistentStoreCoordinator?.managedObjectModel.entitiesByName ?? [:]
    var rows: [(NSAtomicStoreCacheNode, NSEntityDescription, [Substring])] = []
    var nodes: [String: NSAtomicStoreCacheNode] = [:]
    for line in text.split(separator: "\n").dropFirst() {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      guard fields.count >= 2, let entity = entities[String(fields[0])] else {
        throw CocoaError(.fileReadCorruptFile)
      }
      let id = objectID(for: entity, withReferenceObject: String(fields[1]))
      let node = NSAtomicStoreCacheNode(objectID: id)
      nodes[String(fields[1])] = node
      rows.append((node, entity, Array(fields.dropFirst(2))))
    }
    for (node, entity, fields) in rows {
      for field in fields {
        let parts = field.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { continue }
        if let relationship = entity.relationshipsByName[parts[0]] {
          guard let target = nodes[parts[1]] else { continue }
          node.setValue(target, forKey: parts[0])
          if let inverse = relationship.inverseRelationship, inverse.isToMany {
            let others = target.value(forKey: inverse.name) as? NSSet ?? NSSet()
            target.setValue(others.adding(node) as NSSet, forKey: inverse.name)
          }
        } else if entity.attributesByName[parts[0]]?.attributeType == .stringAttributeType {
          node.setValue(parts[1], forKey: parts[0])
        } else {
          node.setValue(Int(parts[1]), forKey: parts[0])
        }
      }
    }
    addCacheNodes(Set(rows.map(\.0)))
  }

  override func save() throws {
    var lines: [String] = []
    for node in cacheNodes() {
      let entity = node.objectID.entity
      var fields = [entity.name ?? "", "\(referenceObject(for: node.objectID))"]
      for name in entity.attributesByName.keys.sorted() {
        if let value = node.value(forKey: name) { fields.append("\(name)=\(value)") }
      }
      for (name, relationship) in entity.relationshipsByName.sorted(by: { $0.key < $1.key })
      where !relationship.isToMany {
        if let target = node.value(forKey: name) as? NSAtomicStoreCacheNode {
          fields.append("\(name)=\(referenceObject(for: target.objectID))")
        }
      }
      lines.append(fields.joined(separator: ","))
    }
    let text = ([identifier ?? ""] + lines.sorted()).joined(separator: "\n") + "\n"
    try Data(text.utf8).write(to: path)
  }

  override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
    let name = managedObject.value(forKey: "name") as? String ?? UUID().uuidString
    return "\(managedObject.entity.name ?? "")-\(name)"
  }
}
