import CoreData
import Testing

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
}
