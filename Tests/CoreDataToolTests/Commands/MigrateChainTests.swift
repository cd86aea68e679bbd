import CoreData
import FixtureSupport
import Testing

@testable import CoreDataTool
@testable import StoreInspection

/// `coredata migrate` with several versions, with Xcode's mapping models, and with XML and binary
/// stores.
struct MigrateChainTests {
  private static let folder = "core-data/Migrations/Migrations"
  private static let models = Fixtures.url("models/\(folder)/Moody.xcdatamodeld").path

  private static func mapping(_ from: Int, _ to: Int) -> String {
    Fixtures.url("mappings/\(folder)/Moody \(from)-Moody \(to).xcmappingmodel").path
  }

  private let temporary: TemporaryStore

  init() throws { temporary = try TemporaryStore() }

  @Test(.enabled(if: Fixtures.areAvailable, "no fixtures"))
  func `A migration passes through each version with the mapping model for that step`()
    throws
  {
    let path = try temporary.copy(
      of: Fixtures.url("stores/core-data/MigrationsTests/Moody 2.moody"))
    let run = ToolRun.coredata(
      "migrate", path, "--to", Self.models, "--version", "Moody 5", "--step-by-step", "--quiet",
      "--mapping", Self.mapping(2, 3), "--mapping", Self.mapping(4, 5), "--mapping",
      Self.mapping(3, 4))
    #expect(run.code == 0, "\(run)")
    // Version 3 creates the continents, version 4 removes the regions above them, and version 5
    // keeps only their number.
    let rows = run.output.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 2) }
    #expect(rows.first { $0.first == "Country" }?[1] == "3", "\(run)")
    #expect(rows.first { $0.first == "Mood" }?[1] == "4", "\(run)")
    let model = ToolRun.coredata("model", "hashes", Self.models, "--version", "Moody 5")
    #expect(ToolRun.coredata("model", "hashes", path).output == model.output)
    #expect(ToolRun.coredata("verify", path).code == 0)
    // No mapping model exists for the way back.
    let back = ToolRun.coredata(
      "migrate", path, "--to", Self.models, "--version", "Moody 4", "--step-by-step", "--quiet")
    #expect(
      back.errors.hasPrefix(
        "the store's model is the later version Moody 5: it is migrated in one step\n"), "\(back)")
  }

  @Test(.enabled(if: Fixtures.areAvailable, "no fixtures"))
  func `A dry run with an Xcode mapping model changes no byte and no file`() throws {
    let path = try temporary.copy(
      of: Fixtures.url("stores/core-data/MigrationsTests/Moody 4.moody"))
    let url = URL(fileURLWithPath: path)
    let names = try FileManager.default.contentsOfDirectory(atPath: temporary.path(""))
    let before = try Data(contentsOf: url)
    let run = ToolRun.coredata(
      "migrate", path, "--to", Self.models, "--version", "Moody 5", "--quiet", "--dry-run",
      "--mapping", Self.mapping(4, 5))
    #expect(run.code == 0, "\(run)")
    #expect(try Data(contentsOf: url) == before)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: temporary.path("")).sorted()
        == names.sorted())
  }

  @Test(.enabled(if: Fixtures.areAvailable, "no fixtures"))
  func `An unreadable mapping model that may belong to a step prevents the migration`()
    throws
  {
    let path = try temporary.copy(
      of: Fixtures.url("stores/core-data/MigrationsTests/Moody 4.moody"))
    let model = temporary.path("Moody.xcdatamodeld")
    try FileManager.default.copyItem(atPath: Self.models, toPath: model)
    let broken = temporary.path("Broken.cdm")
    try Data("nothing".utf8).write(to: URL(fileURLWithPath: broken))
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let arguments = ["migrate", path, "--to", model, "--version", "Moody 5", "--quiet"]
    let refused = ToolRun.coredata(arguments)
    #expect(refused.code == 65)
    #expect(refused.errors.contains("The mapping model \(broken) cannot be read"), "\(refused)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    // With --mapping the command does not read the broken mapping model beside the model.
    let run = ToolRun.coredata(arguments + ["--mapping", Self.mapping(4, 5)])
    #expect(run.code == 0, "\(run)")
  }

  @Test(.enabled(if: Fixtures.areAvailable, "no fixtures"), arguments: [false, true])
  func `A mapping model beside a bundle is found for one of its versions and through a link`(
    _ isLink: Bool
  ) throws {
    let path = try temporary.copy(
      of: Fixtures.url("stores/core-data/MigrationsTests/Moody 4.moody"))
    let folder = temporary.path("models")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try FileManager.default.copyItem(
      atPath: Self.models, toPath: folder + "/Moody.xcdatamodeld")
    try FileManager.default.copyItem(
      atPath: Self.mapping(4, 5), toPath: folder + "/A.xcmappingmodel")
    try FileManager.default.createSymbolicLink(
      atPath: temporary.path("Link.xcdatamodeld"),
      withDestinationPath: folder + "/Moody.xcdatamodeld")
    let target =
      isLink
      ? ["--to", temporary.path("Link.xcdatamodeld"), "--version", "Moody 5"]
      : ["--to", folder + "/Moody.xcdatamodeld/Moody 5.xcdatamodel"]
    let run = ToolRun.coredata(["migrate", path, "--quiet"] + target)
    #expect(run.code == 0, "\(run)")
    #expect(run.errors.contains("A.xcmappingmodel"), "\(run)")
    // A store that is already migrated is not an error, even if the command has the mapping model as an argument.
    let again = ToolRun.coredata(
      ["migrate", path, "--quiet", "--mapping", Self.mapping(4, 5)] + target)
    #expect(again.code == 0 && again.errors == "the store already has this model\n", "\(again)")
  }

  @Test func `A later version may have the hashes of an earlier version`() throws {
    func model(_ name: String, was old: String? = nil) -> NSManagedObjectModel {
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = .stringAttributeType
      attribute.renamingIdentifier = old
      let note = NSEntityDescription()
      note.name = "Note"
      note.properties = [attribute]
      let model = NSManagedObjectModel()
      model.entities = [note]
      return model
    }
    let bundle = temporary.path("Notes.momd")
    try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: false)
    let versions = [
      "Notes": model("name"), "Notes 2": model("title", was: "name"),
      "Notes 3": model("name", was: "title"),
    ]
    for (name, model) in versions {
      try model.write(to: URL(fileURLWithPath: bundle + "/\(name).mom"))
    }
    let path = temporary.path("Notes.sqlite")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model("title", was: "name"))
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path))
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        .setValue("kept", forKey: "title")
      try context.save()
    }
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    let run = ToolRun.coredata(
      "migrate", path, "--to", bundle, "--version", "Notes 3", "--step-by-step", "--quiet",
      "--backup")
    #expect(run.code == 0 && !run.errors.contains("later version"), "\(run)")
    #expect(try PlainSQL(path).rows("SELECT ZNAME FROM ZNOTE") == [["kept"]])
  }

  @Test(.enabled(if: Fixtures.areAvailable, "no fixtures"))
  func `The second of two mapping models named for one step is refused`() throws {
    let path = try temporary.copy(
      of: Fixtures.url("stores/core-data/MigrationsTests/Moody 4.moody"))
    let other = temporary.path("Other.xcmappingmodel")
    try FileManager.default.copyItem(atPath: Self.mapping(4, 5), toPath: other)
    let run = ToolRun.coredata(
      "migrate", path, "--to", Self.models, "--version", "Moody 5", "--mapping",
      Self.mapping(4, 5), "--mapping", other)
    #expect(run.code == 64 && run.errors.contains("'\(other)' is not used"), "\(run)")
  }

  @Test(arguments: [NSXMLStoreType, NSBinaryStoreType])
  func `XML and binary stores are migrated if a model is provided`(_ type: String)
    throws
  {
    func model(_ names: [String]) -> NSManagedObjectModel {
      let note = NSEntityDescription()
      note.name = "Note"
      note.properties = names.map { name in
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = .stringAttributeType
        return attribute
      }
      let model = NSManagedObjectModel()
      model.entities = [note]
      return model
    }
    let (old, new) = (temporary.path("Old.mom"), temporary.path("New.mom"))
    try model(["text"]).write(to: URL(fileURLWithPath: old))
    try model(["text", "title"]).write(to: URL(fileURLWithPath: new))
    let path = temporary.path("Notes.store")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model(["text"]))
    try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: URL(fileURLWithPath: path))
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      for number in 1...3 {
        NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
          .setValue("\(number)", forKey: "text")
      }
      try context.save()
    }
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    let unknown = ToolRun.coredata("migrate", path, "--to", new, "--quiet")
    #expect(unknown.code == 65)
    #expect(
      unknown.errors.contains("neither the store nor the program contains a copy"), "\(unknown)")
    let wrong = ToolRun.coredata("migrate", path, "--to", new, "--from", new, "--quiet")
    #expect(wrong.code == 65 || wrong.code == 64)
    let compared = ToolRun.coredata("model", "diff", path, new)
    #expect(compared.errors.contains("contains no copy of its model"), "\(compared)")
    let dry = ToolRun.coredata("migrate", path, "--to", new, "--from", old, "--quiet", "--dry-run")
    #expect(dry.output == "Note  3\nDry run: 3 rows; store unchanged\n", "\(dry)")
    let run = ToolRun.coredata("migrate", path, "--to", new, "--from", old, "--quiet", "--backup")
    #expect(run.output == "Note  3\nThe store now has 3 rows.\n", "\(run)")
    let opened = NSPersistentStoreCoordinator(managedObjectModel: model(["text", "title"]))
    try opened.addPersistentStore(
      ofType: type, configurationName: nil, at: URL(fileURLWithPath: path))
    let copy = NSPersistentStoreCoordinator(managedObjectModel: model(["text"]))
    try copy.addPersistentStore(
      ofType: type, configurationName: nil,
      at: URL(fileURLWithPath: temporary.path("Notes before migration.store")))
  }
}
