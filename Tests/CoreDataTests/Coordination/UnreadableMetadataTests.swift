import CoreData
import Testing

/// A store whose metadata cannot be read cannot be opened, so that such metadata is not written. Source: Apple's page of
/// `setMetadata(_:type:at:)`: metadata is a dictionary of values of property lists.
@Suite struct UnreadableMetadataTests {
  private static func faults(of kind: TestedStore) -> [Any] {
    var faults: [Any] = [Double.nan, .infinity, -.infinity].map {
      Date(timeIntervalSinceReferenceDate: $0)
    }
    faults += [["a": [faults[0]]] as [String: Any]]
    if kind == .xml { faults += ["a\0", "\u{FFFF}", ["\u{1}"], ["\u{FFFE}": 1]] as [Any] }
    return faults
  }

  @Test func `Metadata that cannot be read is refused, and the store stays as it is`() throws {
    try onEveryStore { kind, folder in
      guard kind.isFile else { return }
      for (number, fault) in Self.faults(of: kind).enumerated() {
        let url = kind.url(in: folder, "store\(number)")
        let (store, context) = try kind.open(SampleStack.makeModel(), at: url)
        let coordinator = try #require(context.persistentStoreCoordinator)
        let old = coordinator.metadata(for: store)
        try context.performAndWait {
          try context.save()
          coordinator.setMetadata(["mine": fault], for: store)
          context.insert("Team", ["name": "Red"])
          #expect(throws: NSError.self, "\(kind) \(number)") { try context.save() }
          coordinator.setMetadata(old, for: store)
          try context.save()
        }
        try coordinator.remove(store)
        #expect(throws: NSError.self, "\(kind) \(number)") {
          try NSPersistentStoreCoordinator.setMetadata(
            ["mine": fault], type: .init(rawValue: kind.type), at: url)
        }
        let again = try kind.open(SampleStack.makeModel(), at: url)
        let count = try again.context.performAndWait { try again.context.all("Team").count }
        #expect(count == 1)
      }
    }
  }
}
