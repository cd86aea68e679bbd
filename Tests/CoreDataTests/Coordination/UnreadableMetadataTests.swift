import CoreData
import Testing

/// A store whose metadata cannot be read cannot be opened, so such metadata must not be written. Source: Apple's page
/// of `setMetadata(_:type:at:)`: metadata is a dictionary of property list values.
@Suite struct UnreadableMetadataTests {
  private static func unreadableValues(of kind: TestedStore) -> [Any] {
    var values: [Any] = [Double.nan, .infinity, -.infinity].map {
      Date(timeIntervalSinceReferenceDate: $0)
    }
    values += [["a": [values[0]]] as [String: Any]]
    if kind == .xml { values += ["a\0", "\u{FFFF}", ["\u{1}"], ["\u{FFFE}": 1]] as [Any] }
    return values
  }

  @Test func `Unreadable metadata is refused, and the store stays unchanged`() throws {
    try onEveryStore { kind, folder in
      guard kind.isFile else { return }
      for (number, value) in Self.unreadableValues(of: kind).enumerated() {
        let url = kind.url(in: folder, "store\(number)")
        let (store, context) = try kind.open(SampleStack.makeModel(), at: url)
        let coordinator = try #require(context.persistentStoreCoordinator)
        let old = coordinator.metadata(for: store)
        try context.performAndWait {
          try context.save()
          coordinator.setMetadata(["mine": value], for: store)
          context.insert("Team", ["name": "Red"])
          #expect(throws: NSError.self, "\(kind) \(number)") { try context.save() }
          coordinator.setMetadata(old, for: store)
          try context.save()
        }
        try coordinator.remove(store)
        #expect(throws: NSError.self, "\(kind) \(number)") {
          try NSPersistentStoreCoordinator.setMetadata(
            ["mine": value], type: .init(rawValue: kind.type), at: url)
        }
        let again = try kind.open(SampleStack.makeModel(), at: url)
        let count = try again.context.performAndWait { try again.context.all("Team").count }
        #expect(count == 1)
      }
    }
  }
}
