import CoreData
import Testing

/// A program whose store cannot be opened destroys it to begin again, or replaces it with a backup.
@Suite struct DamagedDestinationTests {
  /// The damage of a file.
  enum Damage: CustomTestStringConvertible {
    /// Only the first bytes are left, as after a copy that was interrupted.
    case length(Int)
    /// Only this part of the file is left.
    case part(Double)
    /// Bytes at a position of a SQLite file's header are replaced (sqlite.org/fileformat2.html, "The Database Header").
    case header(Int, [UInt8])

    var testDescription: String { "\(self)" }

    func apply(to url: URL) throws {
      var bytes = try Data(contentsOf: url)
      switch self {
      case .length(let count): bytes = bytes.prefix(count)
      case .part(let part): bytes = bytes.prefix(Int(Double(bytes.count) * part))
      case .header(let place, let new): bytes.replaceSubrange(place..<place + new.count, with: new)
      }
      try bytes.write(to: url)
    }
  }

  private let model = SampleStack.makeModel()

  private func make(_ kind: TestedStore, at url: URL, team: String) throws {
    let (store, context) = try kind.open(model, at: url)
    try context.performAndWait {
      context.insert("Team", ["name": team])
      try context.save()
    }
    try context.persistentStoreCoordinator?.remove(store)
  }

  private func teams(_ kind: TestedStore, at url: URL) throws -> [String] {
    let (store, context) = try kind.open(model, at: url)
    let names = try context.performAndWait {
      try context.all("Team", sort: ["name"]).compactMap { $0["name"] as String? }
    }
    try context.persistentStoreCoordinator?.remove(store)
    return names
  }

  /// Makes a store, damages it, destroys it or replaces it with another store, and uses it again.
  private func check(
    _ kind: TestedStore, in folder: TemporaryFolder, _ damage: Damage, journal: String = "WAL"
  ) throws {
    let source = kind.url(in: folder, "source")
    try make(kind, at: source, team: "New")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let options: [[AnyHashable: Any]?] = [nil, [NSPersistentStoreForceDestroyOption: true]]
    for (number, options) in options.enumerated() {
      let url = kind.url(in: folder, "destroyed\(number)")
      try makeDamaged(kind, at: url, damage, journal)
      try coordinator.destroyPersistentStore(at: url, ofType: kind.type, options: options)
      #expect(try teams(kind, at: url) == [], "\(damage), \(journal), \(kind)")
      try make(kind, at: url, team: "Again")
      #expect(try teams(kind, at: url) == ["Again"], "\(damage), \(journal), \(kind)")
    }
    let url = kind.url(in: folder, "replaced")
    try makeDamaged(kind, at: url, damage, journal)
    try coordinator.replacePersistentStore(
      at: url, withPersistentStoreFrom: source, ofType: kind.type)
    #expect(try teams(kind, at: url) == ["New"], "\(damage), \(journal), \(kind)")
  }

  private func makeDamaged(
    _ kind: TestedStore, at url: URL, _ damage: Damage, _ journal: String
  ) throws {
    try make(kind, at: url, team: "Old")
    if kind == .sqlite { try PlainDatabase(url).execute("PRAGMA journal_mode = \(journal)") }
    try damage.apply(to: url)
    #expect(throws: NSError.self, "\(damage), \(journal), \(kind)") { _ = try teams(kind, at: url) }
  }

  @Test func `A store that was cut off can be destroyed, replaced and used again`() throws {
    try onEveryStore(TestedStore.fileKinds) { kind, folder in
      try check(kind, in: folder, .part(0.5))
    }
  }

  @Test(
    arguments: [
      Damage.length(50), .length(100), .length(4_096), .length(9_000),
      // The page size and the payload fractions, which have only one valid value.
      .header(16, [0, 3]), .header(21, [1, 1, 1]),
    ], ["WAL", "DELETE"])
  func `A SQLite file with a damaged or incomplete header can be destroyed and replaced`(
    _ damage: Damage, _ journal: String
  ) throws {
    try check(.sqlite, in: try TemporaryFolder(), damage, journal: journal)
  }

  @Test(arguments: [false, true])
  func `A file that is not a SQLite file is not destroyed`(_ isForced: Bool) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("letter.txt")
    try Data("Dear reader, this is not a database.".utf8).write(to: url)
    let error = failure {
      try NSPersistentStoreCoordinator(managedObjectModel: model)
        .destroyPersistentStore(
          at: url, ofType: NSSQLiteStoreType,
          options: [NSPersistentStoreForceDestroyOption: isForced])
    }
    #expect(error?.localizedDescription.contains("not a SQLite file") == true)
    #expect(try Data(contentsOf: url) == Data("Dear reader, this is not a database.".utf8))
  }
}
