import CoreData
import FixtureSupport
import Testing

/// A batch deletion changes a store in the same way as deleting the objects one by one.
@Suite struct BatchDeleteAgreementTests {
  static let stores = [
    "RecipeData/Recipes.sqlite", "SampleModel2_V1.sqlite", "SampleModel_V1.sqlite",
    "SampleModel_V2.sqlite", "SampleModel3_V1.sqlite", "Bookmarks_V3.sqlite",
    "SyncMetadata_V3.sqlite", "CartStorage_v1.sqlite", "Moody.moody", "Moody 5.moody",
  ]

  /// Returns the changes that a deletion makes to a copy of a store, or the error of the deletion.
  private func changes(
    _ fixture: StoreFixture, _ model: NSManagedObjectModel, _ before: StoreDump,
    _ delete: (NSManagedObjectContext) throws -> Void
  ) throws -> Result<[String], NSError> {
    let folder = try TemporaryFolder()
    let url = try fixture.copy(into: folder)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let hasHistory = before.hasTable("ACHANGE")
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: [
        NSIgnorePersistentStoreVersioningOption: NSNumber(value: true),
        NSPersistentHistoryTrackingKey: NSNumber(value: hasHistory),
      ])
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    do {
      try context.performAndWait { try delete(context) }
    } catch {
      return .failure(error as NSError)
    }
    try coordinator.remove(store)
    let changes = before.changes(to: try StoreDump(url)).compactMap { change -> String? in
      if hasHistory, change.table.hasPrefix("A") {
        // The changes must agree, but not their order in the history.
        guard change.table == "ACHANGE" else { return nil }
        let columns = ["ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZCOLUMNS"]
        return "history \(columns.map { "\(change.cells[$0]?[1] ?? .null)" })"
      }
      if hasHistory, change.table == "Z_PRIMARYKEY" { return nil }
      // Versions count writes, and a context may write a row less often than a batch request does.
      let cells = change.cells.filter { $0.key != "Z_OPT" }
      if cells.isEmpty, !change.isRemoved { return nil }
      let sign = change.isInserted ? "+" : change.isRemoved ? "-" : "~"
      let texts = cells.keys.sorted().map { "\($0) \(cells[$0] ?? [])" }
      return "\(sign)\(change.table)/\(change.row) \(texts)"
    }
    return .success(changes.sorted())
  }

  @Test(
    "A batch deletion of all rows of an entity makes the same changes as deleting each object",
    .enabled(if: Fixtures.areAvailable, "no fixtures"), arguments: stores)
  func agreement(_ path: String) throws {
    let fixture = try #require(StoreFixture.named(path))
    let folder = try TemporaryFolder()
    let url = try fixture.copy(into: folder)
    let model = try #require(try fixture.models(url).last).model
    let before = try StoreDump(url)
    var compared = 0
    for name in model.entitiesByName.keys.sorted() {
      let byObjects = try changes(fixture, model, before) { context in
        for object in try context.all(name) { context.delete(object) }
        try context.save()
      }
      let byBatch = try changes(fixture, model, before) { _ = try $0.batchDelete(name) }
      switch byObjects {
      case .success(let expected):
        #expect(try byBatch.get() == expected, "\(name)")
        compared += expected.isEmpty ? 0 : 1
      case .failure(let error) where error.code == NSValidationRelationshipDeniedDeleteError:
        let denied = #expect(throws: NSError.self) { try byBatch.get() }
        #expect(denied?.code == error.code, "\(name)")
      // A batch request does not validate the values of the objects that remain, so it may succeed.
      case .failure(let error):
        let codes = NSManagedObjectValidationError...NSValidationInvalidURIError
        #expect(error.domain == NSCocoaErrorDomain, "\(name): \(error)")
        #expect(codes.contains(error.code), "\(name): \(error)")
      }
    }
    #expect(compared > 0)
  }
}
