import CoreData
import Foundation
import Testing

/// A store that is filled with one model and opened with another.
struct MigratedStore {
  let folder: TemporaryFolder
  let url: URL
  let kind: TestedStore
  private let options: [AnyHashable: Any]

  init(_ kind: TestedStore = .sqlite, history: Bool = false) throws {
    self.kind = kind
    folder = try TemporaryFolder()
    url = kind.url(in: folder)
    options = history ? [NSPersistentHistoryTrackingKey: NSNumber(value: true)] : [:]
  }

  static var migrating: [AnyHashable: Any] {
    [
      NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
      NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
    ]
  }

  /// Opens the store with a model, calls the body with a context, and saves the context.
  @discardableResult func with<Result>(
    _ model: NSManagedObjectModel, migrates: Bool = true,
    _ body: (NSManagedObjectContext) throws -> Result
  ) throws -> Result {
    var options = options
    if migrates { options.merge(Self.migrating) { $1 } }
    let (store, context) = try kind.open(model, at: url, options: options)
    return try withExtendedLifetime(store) {
      try context.performAndWait {
        let result = try body(context)
        if context.hasChanges { try context.save() }
        return result
      }
    }
  }

  @discardableResult func with<Result>(
    _ text: String, migrates: Bool = true, _ body: (NSManagedObjectContext) throws -> Result
  ) throws -> Result {
    try with(ModelText.model(text), migrates: migrates, body)
  }
}
