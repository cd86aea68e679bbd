import CoreData
import Foundation

/// Deleting an object with many children and saving that: what a child costs must not grow with
/// their number.
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

  static func run(_ scale: Scale, _ report: inout Report) throws {
    let (few, many) = (scale.children / 10, scale.children)
    for kind in kinds {
      var best: [String: Double] = ["\(few) children": .infinity, "\(many) children": .infinity]
      for _ in 0..<3 {
        for count in [few, many] {
          let time = try deletion(kind, children: count) / Double(count)
          best["\(count) children"] = min(best["\(count) children"] ?? .infinity, time)
        }
      }
      report.add(
        "deleting and saving, \(kind.name)", "\(many) children", against: "\(few) children", best,
        items: 1, bar: 1.5)
    }
  }

  /// The seconds that deleting a saved parent takes, in a context that has read nothing yet.
  private static func deletion(_ kind: Kind, children: Int) throws -> Double {
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
      let start = Contest.processorTime
      context.delete(saved)
      try context.save()
      return Contest.processorTime - start
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
