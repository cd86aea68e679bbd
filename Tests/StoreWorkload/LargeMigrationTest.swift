import CoreData

/// Migrates many rows three times: with a program's policy that leaves one of the last rows without
/// a value, in place to a model in which one of the last rows is not unique, and then with a
/// correct policy.
///
/// `large-migration --rows 1000000`: a failure must leave every byte unchanged, and memory must not
/// grow with the number of rows, except for the list of their keys.
enum LargeMigrationTest {
  /// The memory that a process may use in addition to the rows: models, pages of SQLite, a batch of
  /// objects on both sides.
  private static let fixedMemory = 64 << 20
  /// The additional memory for each row, because a fetch lists the keys of the source's rows.
  private static let memoryOfRow = 24

  static func run(_ arguments: Arguments) throws {
    let rows = try arguments.number("rows", 1_000_000)
    let folder = try TemporaryFolder()
    let url = folder.file("rows.sqlite")
    let old = model(title: "name")
    let wrong = rows / 10 * 9
    try fill(url, old, rows, wrong)
    let before = folder.file("before.sqlite")
    try FileManager.default.copyItem(at: url, to: before)

    let new = model(title: "title")
    new.entitiesByName["Row"]?.attributesByName["title"]?.isOptional = false
    TitlePolicy.wrong.value = wrong
    let refused = try failure { try migrate(url, to: new) }
    try Lost.unless(
      refused.code == NSValidationMissingMandatoryPropertyError,
      "a missing title caused another error: \(refused)")
    try requireUntouched(folder, before)

    let unique = model(title: "name")
    unique.entitiesByName["Row"]?.uniquenessConstraints = [["name"]]
    let doubled = try failure { _ = try open(url, unique, migrates: true) }
    try requireUntouched(folder, before)
    try Lost.unless(
      doubled.localizedDescription.contains("name"),
      "the error does not state the duplicate value: \(doubled)")
    try requireRows(url, old, rows)

    TitlePolicy.wrong.value = nil
    let began = Date()
    try migrate(url, to: new)
    let seconds = Date().timeIntervalSince(began)
    try requireRows(url, new, rows)
    let memory = ProcessMemory.peak
    try Lost.unless(
      memory == 0 || memory < fixedMemory + rows * memoryOfRow,
      "\(rows) rows took \(memory >> 20) MB")
    Report.line(
      "large-migration: \(rows) rows by a policy in \(String(format: "%.1f", seconds)) s, at most"
        + " \(memory >> 20) MB; failures in row \(wrong): \(refused.code), \(doubled.code)")
  }

  private static func model(title: String) -> NSManagedObjectModel {
    let number = NSAttributeDescription()
    number.name = "number"
    number.attributeType = .integer64AttributeType
    let text = NSAttributeDescription()
    text.name = title
    text.attributeType = .stringAttributeType
    text.isOptional = true
    let entity = NSEntityDescription()
    entity.name = "Row"
    entity.properties = [number, text]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return model
  }

  private static func open(
    _ url: URL, _ model: NSManagedObjectModel, migrates: Bool = false
  ) throws -> (NSPersistentStoreCoordinator, NSManagedObjectContext) {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      type: .sqlite, at: url,
      options: [
        NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: migrates),
        NSInferMappingModelAutomaticallyOption: NSNumber(value: migrates),
      ])
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    return (coordinator, context)
  }

  private static func close(_ coordinator: NSPersistentStoreCoordinator) throws {
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }

  private static func fill(
    _ url: URL, _ model: NSManagedObjectModel, _ rows: Int, _ wrong: Int
  ) throws {
    let (coordinator, context) = try open(url, model)
    var number = 0
    let request = NSBatchInsertRequest(entityName: "Row") { (values: NSMutableDictionary) in
      if number == rows { return true }
      number += 1
      values["number"] = number
      values["name"] = "row \(number == wrong ? 1 : number)"
      return false
    }
    try context.performAndWait { _ = try context.execute(request) }
    try close(coordinator)
  }

  private static func migrate(_ url: URL, to model: NSManagedObjectModel) throws {
    let mapping = NSEntityMapping()
    mapping.name = "RowToRow"
    mapping.mappingType = .customEntityMappingType
    mapping.sourceEntityName = "Row"
    mapping.destinationEntityName = "Row"
    mapping.sourceExpression = NSExpression(
      format: "FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:',"
        + " 'Row', 'TRUEPREDICATE'), $manager.sourceContext, NO)")
    mapping.entityMigrationPolicyClassName = "StoreWorkload.TitlePolicy"
    let mappings = NSMappingModel()
    mappings.entityMappings = [mapping]
    var migration = ProgressiveMigration(through: [model])
    migration.mappingModel = { _, _ in mappings }
    try migration.run(at: url)
  }

  private static func failure(_ body: () throws -> Void) throws -> NSError {
    do { try body() } catch { return error as NSError }
    throw Lost("a migration that must fail succeeded")
  }

  private static func requireUntouched(_ folder: TemporaryFolder, _ before: URL) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    let others = names.filter { !$0.hasPrefix("rows.sqlite") && $0 != before.lastPathComponent }
    try Lost.unless(others.isEmpty, "a failed migration left \(others) behind")
    try Lost.unless(
      FileManager.default.contentsEqual(
        atPath: folder.file("rows.sqlite").path, andPath: before.path),
      "a failed migration changed the store")
  }

  private static func requireRows(
    _ url: URL, _ model: NSManagedObjectModel, _ rows: Int
  ) throws {
    let (coordinator, context) = try open(url, model)
    let count = try context.performAndWait {
      try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Row"))
    }
    try close(coordinator)
    try Lost.unless(count == rows, "\(count) rows, not \(rows)")
  }
}

/// Sets a title for every row except one.
final class TitlePolicy: NSEntityMigrationPolicy, @unchecked Sendable {
  /// A value that the test sets before a migration and does not change during it.
  final class Setting: @unchecked Sendable { var value: Int? }
  static let wrong = Setting()

  override func createDestinationInstances(
    forSource source: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    let row = NSEntityDescription.insertNewObject(
      forEntityName: "Row", into: manager.destinationContext)
    let number = source.value(forKey: "number") as? Int
    row.setValue(number, forKey: "number")
    if number != Self.wrong.value {
      row.setValue((source.value(forKey: "name") as? String)?.uppercased(), forKey: "title")
    }
    manager.associate(sourceInstance: source, withDestinationInstance: row, for: mapping)
  }
}
