import CoreData
import FixtureSupport
import Foundation

/// The mapping models among the fixtures, and their source and destination models.
enum MappingFixtures {
  /// The paths of all mapping models of Xcode.
  static var sources: [String] { paths(below: "mappings", ending: ".xcmappingmodel") }

  /// The paths of all compiled mapping models.
  static var compiled: [String] { paths(below: "compiled", ending: ".cdm") }

  private static func paths(below folder: String, ending: String) -> [String] {
    let names = FileManager.default.enumerator(atPath: Fixtures.url(folder).path)
    return (names?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(ending) }.sorted()
      .map { "\(folder)/\($0)" }
  }

  static let moodyModels = "models/core-data/Migrations/Migrations/Moody.xcdatamodeld"
  static let sampleModels = "models/CoreDataPlus/SampleModel/SampleModel.xcdatamodeld"
  static let noteModels =
    "models/cdt-materials/06-versioning-and-migration/UnCloudNotes/UnCloudNotesDataModel.xcdatamodeld"
  static let postModels =
    "models/CoreDataMigrationRevised-CoreDataMigration-CoreData/Model/"
    + "CoreDataMigration_Example.xcdatamodeld"

  /// A version of a model.
  static func model(_ path: String, _ version: String) throws -> NSManagedObjectModel {
    try NSManagedObjectModel(
      validating: Fixtures.url(path).appendingPathComponent("\(version).xcdatamodel"))
  }

  /// The mapping model at a path below `mappings` that lacks the file's extension.
  static func mapping(_ path: String) throws -> NSMappingModel {
    try NSMappingModel(validating: Fixtures.url("mappings/\(path).xcmappingmodel"))
  }

  /// A copy of a store with its write-ahead log.
  static func store(_ path: String, in folder: TemporaryFolder) throws -> URL {
    let source = Fixtures.url("stores/\(path)")
    let copy = folder.file(source.lastPathComponent)
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: source.path + suffix) {
      try FileManager.default.copyItem(atPath: source.path + suffix, toPath: copy.path + suffix)
    }
    return copy
  }
}

/// The objects of a store as rows of values, without custom classes.
struct Rows {
  let context: NSManagedObjectContext

  /// Opens a store of any kind. The model is copied, with plain classes.
  init(
    _ url: URL, _ model: NSManagedObjectModel, type: String = NSSQLiteStoreType
  ) throws {
    guard let copy = model.copy() as? NSManagedObjectModel else { throw CocoaError(.coreData) }
    for entity in copy.entities { entity.managedObjectClassName = nil }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: copy)
    try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
    context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
  }

  /// Calls a closure with each object of an entity, without those of subentities, and returns the
  /// results.
  func map<T>(_ entity: String, _ body: (NSManagedObject) throws -> T) throws -> [T] {
    try context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity)
      request.includesSubentities = false
      return try context.fetch(request).map(body)
    }
  }

  func count(_ entity: String) throws -> Int { try map(entity) { _ in () }.count }

  /// Closes the store.
  func close() throws {
    context.performAndWait { context.reset() }
    for store in context.persistentStoreCoordinator?.persistentStores ?? [] {
      try context.persistentStoreCoordinator?.remove(store)
    }
  }
}

extension NSManagedObject {
  /// The value of a key path as text, for comparisons.
  func text(_ keyPath: String) -> String {
    var current: Any? = self
    for key in keyPath.split(separator: ".") {
      current = (current as? NSManagedObject)?.value(forKey: String(key))
    }
    return current.map { "\($0)" } ?? "nil"
  }

  /// Returns the values of a key in the members of a relationship, as strings: in the order of an ordered relationship,
  /// otherwise sorted.
  func texts(_ relationship: String, _ key: String) -> [String] {
    let members = value(forKey: relationship)
    if let ordered = members as? NSOrderedSet {
      return ordered.array.compactMap { ($0 as? NSManagedObject)?.text(key) }
    }
    return (members as? NSSet)?.allObjects.compactMap { ($0 as? NSManagedObject)?.text(key) }
      .sorted() ?? []
  }
}
