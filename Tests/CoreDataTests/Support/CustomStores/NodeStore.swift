import CoreData

/// A custom atomic store, as a program might define one. It keeps its nodes in a property list, and supports attributes
/// with property list types and all kinds of relationships.
final class NodeStore: NSAtomicStore, @unchecked Sendable {
  static let storeType = "TestNodes"

  override var type: String { Self.storeType }

  private func content() throws -> [String: Any]? {
    guard let url, let data = try? Data(contentsOf: url) else { return nil }
    return try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
  }

  override func loadMetadata() throws {
    let found = try content()?["uuid"] as? String
    metadata = [NSStoreUUIDKey: found ?? UUID().uuidString, NSStoreTypeKey: Self.storeType]
  }

  override func load() throws {
    let entities = persistentStoreCoordinator?.managedObjectModel.entitiesByName ?? [:]
    let records = try content()?["nodes"] as? [[String: Any]] ?? []
    var nodes: [String: NSAtomicStoreCacheNode] = [:]
    for record in records {
      guard let name = record["entity"] as? String, let entity = entities[name],
        let reference = record["reference"] as? String
      else { throw CocoaError(.fileReadCorruptFile) }
      let id = objectID(for: entity, withReferenceObject: reference)
      nodes[reference] = NSAtomicStoreCacheNode(objectID: id)
    }
    for record in records {
      guard let node = nodes[record["reference"] as? String ?? ""] else { continue }
      for (key, value) in record["values"] as? [String: Any] ?? [:] {
        node.setValue(value, forKey: key)
      }
      for (key, references) in record["related"] as? [String: [String]] ?? [:] {
        let others = references.compactMap { nodes[$0] }
        switch node.objectID.entity.relationshipsByName[key] {
        case let relationship? where relationship.isOrdered:
          node.setValue(NSOrderedSet(array: others), forKey: key)
        case let relationship? where relationship.isToMany:
          node.setValue(NSSet(array: others), forKey: key)
        default: node.setValue(others.first, forKey: key)
        }
      }
    }
    addCacheNodes(Set(nodes.values))
  }

  override func save() throws {
    guard let url else { return }
    var records: [[String: Any]] = []
    for node in cacheNodes() {
      let entity = node.objectID.entity
      var values: [String: Any] = [:]
      for (key, attribute) in entity.attributesByName where !attribute.isTransient {
        values[key] = node.value(forKey: key)
      }
      var related: [String: [String]] = [:]
      for key in entity.relationshipsByName.keys {
        let others: [Any] =
          switch node.value(forKey: key) {
          case let set as NSOrderedSet: set.array
          case let set as NSSet: set.allObjects
          case let one?: [one]
          case nil: []
          }
        related[key] = others.compactMap { $0 as? NSAtomicStoreCacheNode }.map(reference)
      }
      records.append([
        "entity": entity.name ?? "", "reference": reference(node), "values": values,
        "related": related,
      ])
    }
    let content: [String: Any] = ["uuid": identifier ?? "", "nodes": records]
    try PropertyListSerialization.data(fromPropertyList: content, format: .binary, options: 0)
      .write(to: url)
  }

  private func reference(_ node: NSAtomicStoreCacheNode) -> String {
    referenceObject(for: node.objectID) as? String ?? ""
  }
}
