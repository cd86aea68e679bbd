import Testing

@testable import CoreData
@testable import SQLiteEngine

/// A store that another program changes before a test opens it.
enum UntrustedStore {
  /// Makes a store with one player, Ann, closes it, and returns its location.
  static func make(in folder: TemporaryFolder) throws -> URL {
    let url = folder.file("store.sqlite")
    let stack = try SampleStack(url: url)
    try stack.context.performAndWait {
      stack.context.insert("Player", ["name": "Ann"])
      try stack.context.save()
    }
    for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
    return url
  }

  /// Expects that the store cannot be opened, and returns the error, whose description contains the store's path.
  static func refusal(
    at url: URL, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> NSError? {
    let error = #expect(throws: NSError.self, sourceLocation: sourceLocation) {
      try SampleStack(url: url)
    }
    #expect(error?.domain == NSCocoaErrorDomain, sourceLocation: sourceLocation)
    #expect(
      error?.localizedDescription.contains(url.path) == true, sourceLocation: sourceLocation)
    return error
  }

  /// Adds coordinates to the teams of a model, with an R-tree as their index.
  static func addPlaces(to model: NSManagedObjectModel) throws {
    let team = try #require(model.entitiesByName["Team"])
    let places = ["x", "y"].map { SampleStack.attribute($0, .doubleAttributeType) }
    team.properties += places
    team.indexes = [
      NSFetchIndexDescription(
        name: "place",
        elements: places.map {
          NSFetchIndexElementDescription(property: $0, collationType: .rTree)
        })
    ]
  }

  /// Opens a store and returns what a closure returns for the connection that writes it.
  static func withWriter<Result>(
    of url: URL, _ model: NSManagedObjectModel,
    _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    let stack = try SampleStack(url: url, model: model)
    let store = try #require(stack.coordinator.persistentStores.first)
    let engine = try #require(store.engine as? SQLiteStore)
    let result = try engine.pool.write(body)
    try stack.coordinator.remove(store)
    return result
  }
}
