import CoreData
import Testing

@Suite("Large XML stores")
struct LargeXMLStoreTests {
  // By default, libxml2 refuses to look ahead more than ten million bytes.
  @Test("Stores with many values, and with one of over ten million bytes, can be read")
  func reading() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("large.xml")
    let model = ModelText.model("Note: text string; number i64")
    let piece = "a<ü" + String(repeating: "x", count: 27)
    // The numbers of pieces, of 31 bytes each.
    let lengths = [340_000] + Array(repeating: 3_000, count: 60)
    func coordinator() throws -> NSPersistentStoreCoordinator {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(ofType: NSXMLStoreType, configurationName: nil, at: url)
      return coordinator
    }
    func context() throws -> NSManagedObjectContext {
      let context = NSManagedObjectContext(.privateQueue)
      context.persistentStoreCoordinator = try coordinator()
      return context
    }
    let writing = try context()
    try writing.performAndWait {
      for (number, length) in lengths.enumerated() {
        let text = String(repeating: piece, count: length)
        writing.insert("Note", ["text": text, "number": number])
      }
      try writing.save()
    }
    let reading = try context()
    try reading.performAndWait {
      let found = try reading.all("Note", sort: ["number"])
      let texts = found.map { $0["text"] as String? ?? "" }
      #expect(texts.map(\.utf8.count) == lengths.map { $0 * 31 })
      #expect(texts.allSatisfy { $0.hasPrefix(piece) && $0.hasSuffix(piece) })
    }
  }
}
