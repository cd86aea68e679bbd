import CoreData
import FixtureSupport
import Testing

@testable import CoreDataTool
@testable import StoreInspection

/// `coredata migrate` with several versions, mapping models of Xcode's, and stores that are no databases.
struct MigrateChainTests {
  private static let folder = "core-data/Migrations/Migrations"
  private static let models = Fixtures.url("models/\(folder)/Moody.xcdatamodeld").path

  private static func mapping(_ from: Int, _ to: Int) -> String {
    Fixtures.url("mappings/\(folder)/Moody \(from)-Moody \(to).xcmappingmodel").path
  }

  private let temporary: TemporaryStore

  init() throws { temporary = try TemporaryStore() }

  @Test(.enabled(if: Fixtures.areAvailable))
  func `Versions are gone through one by one, each by the mapping model that is made for it`()
    throws
  {
    let path = try temporary.copy(
      of: Fixtures.url("stores/core-data/MigrationsTests/Moody 2.moody"))
    let run = ToolRun.coredata(
      "migrate", path, "--to", Self.models, "--version", "Moody 5", "--step-by-step", "--quiet",
      "--mapping", Self.mapping(2, 3), "--mapping", Self.mapping(4, 5), "--mapping",
      Self.mapping(3, 4))
    #expect(run.code == 0, "\(run)")
    // Version 3 has the continents anew, version 4 no region above them, and version 5 their number alone.
    let rows = run.output.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 2) }
    #expect(rows.first { $0.first == "Country" }?[1] == "3", "\(run)")
    #expect(rows.first { $0.first == "Mood" }?[1] == "4", "\(run)")
    let model = ToolRun.coredata("model", "hashes", Self.models, "--version", "Moody 5")
    #expect(ToolRun.coredata("model", "hashes", path).output == model.output)
    #expect(ToolRun.coredata("verify", path).code == 0)
    // Back again nobody wrote a mapping for.
    let back = ToolRun.coredata(
      "migrate", path, "--to", Self.models, "--version", "Moody 4", "--step-by-step", "--quiet")
    #expect(
      back.errors.hasPrefix(
        "the store is of the later version Moody 5: it goes to the model in one step\n"), "\(back)")
  }

  @Test(.enabled(if: Fixtures.areAvailable))
  func `A dry run of a mapping model of Xcode's leaves every byte and file`() throws {
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

  @Test(.enabled(if: Fixtures.areAvailable))
  func `A mapping model that may be meant and cannot be read ends it before it begins`() throws {
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
    // Who names one means that.
    let run = ToolRun.coredata(arguments + ["--mapping", Self.mapping(4, 5)])
    #expect(run.code == 0, "\(run)")
  }

  @Test(.enabled(if: Fixtures.areAvailable), arguments: [false, true])
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
    // What is done is no mistake, also when it is asked for with the mapping.
    let again = ToolRun.coredata(
      ["migrate", path, "--quiet", "--mapping", Self.mapping(4, 5)] + target)
    #expect(again.code == 0 && again.errors == "the store is of this model already\n", "\(again)")
  }

  @Test func `A later version may have the hashes of an earlier one`() throws {
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

  @Test(.enabled(if: Fixtures.areAvailable))
  func `Of two mapping models that are named for a step the second is refused`() throws {
    let path = try temporary.copy(
      of: Fixtures.url("stores/core-data/MigrationsTests/Moody 4.moody"))
    let other = temporary.path("Other.xcmappingmodel")
    try FileManager.default.copyItem(atPath: Self.mapping(4, 5), toPath: other)
    let run = ToolRun.coredata(
      "migrate", path, "--to", Self.models, "--version", "Moody 5", "--mapping",
      Self.mapping(4, 5), "--mapping", other)
    #expect(run.code == 64 && run.errors.contains("'\(other)' is not taken"), "\(run)")
  }

  @Test(arguments: [NSXMLStoreType, NSBinaryStoreType])
  func `Stores that are no databases are migrated, if somebody knows their model`(_ type: String)
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
    #expect(compared.errors.contains("carries no copy of its model"), "\(compared)")
    let dry = ToolRun.coredata("migrate", path, "--to", new, "--from", old, "--quiet", "--dry-run")
    #expect(dry.output == "Note  3\nwould have 3 rows; the store is as it was\n", "\(dry)")
    let run = ToolRun.coredata("migrate", path, "--to", new, "--from", old, "--quiet", "--backup")
    #expect(run.output == "Note  3\nhas 3 rows\n", "\(run)")
    let opened = NSPersistentStoreCoordinator(managedObjectModel: model(["text", "title"]))
    try opened.addPersistentStore(
      ofType: type, configurationName: nil, at: URL(fileURLWithPath: path))
    let copy = NSPersistentStoreCoordinator(managedObjectModel: model(["text"]))
    try copy.addPersistentStore(
      ofType: type, configurationName: nil,
      at: URL(fileURLWithPath: temporary.path("Notes before migration.store")))
  }
}
