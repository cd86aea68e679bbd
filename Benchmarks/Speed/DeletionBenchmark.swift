import CoreData
import Foundation

/// Deletes an object with many children and saves: the cost of a child must not grow with the number
/// of children.
enum DeletionBenchmark {
  /// A kind of relationship between the object and its children.
  private struct Kind {
    let name: String
    let rule: NSDeleteRule
    var isManyToMany = false
    var isOrdered = false
  }

  private static let kinds = [
    Kind(name: "nullify", rule: .nullifyDeleteRule),
    Kind(name: "cascade", rule: .cascadeDeleteRule),
    Kind(name: "many-to-many", rule: .nullifyDeleteRule, isManyToMany: true),
    Kind(name: "ordered", rule: .cascadeDeleteRule, isOrdered: true),
  ]

  static var comparisons: [Comparison] {
    let (few, many) = (Scale.current.children / 10, Scale.current.children)
    return kinds.map { kind in
      Comparison(
        name: "deleting and saving, \(kind.name), \(many) children", items: many,
        floor: "\(few) children", bar: 1.5
      ) { contest in
        contest.ours { try deletion(kind, children: many, $0) }
        contest.floor(items: few) { try deletion(kind, children: few, $0) }
      }
    }
  }

  /// Deletes a saved parent in a context that has read nothing else.
  private static func deletion(_ kind: Kind, children: Int, _ lap: Lap) throws -> Int {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("Benchmarks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model(kind))
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil,
      at: folder.appendingPathComponent("family.sqlite"), options: nil)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return try context.performAndWait {
      let parent = NSEntityDescription.insertNewObject(forEntityName: "Parent", into: context)
      let all = (0..<children).map { _ in
        NSEntityDescription.insertNewObject(forEntityName: "Child", into: context)
      }
      parent.setValue(
        kind.isOrdered ? NSOrderedSet(array: all) : NSSet(array: all), forKey: "children")
      try context.save()
      context.reset()
      let saved = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Parent"))[0]
      try lap.measured {
        context.delete(saved)
        try context.save()
      }
      return 0
    }
  }

  private static func model(_ kind: Kind) -> NSManagedObjectModel {
    let (parent, child) = (NSEntityDescription(), NSEntityDescription())
    parent.name = "Parent"
    child.name = "Child"
    let (children, parents) = (NSRelationshipDescription(), NSRelationshipDescription())
    children.name = "children"
    children.destinationEntity = child
    children.inverseRelationship = parents
    children.deleteRule = kind.rule
    children.isOrdered = kind.isOrdered
    parents.name = "parents"
    parents.destinationEntity = parent
    parents.inverseRelationship = children
    parents.maxCount = kind.isManyToMany ? 0 : 1
    parent.properties = [children]
    child.properties = [parents]
    let model = NSManagedObjectModel()
    model.entities = [parent, child]
    return model
  }
}
