import CoreData
import FixtureSupport
import Foundation
import Testing

/// Migrates stores that Apple's Core Data wrote to every other version of their models for which a
/// mapping can be inferred. Each value, link and row that both models have must survive under its
/// key, and new attributes must have their defaults.
@Suite(
  "Apple's stores in other versions of their models",
  .enabled(if: Fixtures.areAvailable, "no fixtures"))
struct FixtureVersionsTests {
  /// A store, the model that wrote it, and another version.
  struct Step: CustomTestStringConvertible, Sendable {
    let fixture: StoreFixture
    let old, new: URL
    var testDescription: String {
      "\(fixture.name) to \(new.deletingPathExtension().lastPathComponent)"
    }

    static let all = StoreFixture.all.flatMap { fixture -> [Step] in
      guard let path = fixture.sourceModel, path.contains(".xcdatamodeld/") else { return [] }
      var old = Fixtures.url(path)
      while old.pathExtension != "xcdatamodel", old.path.count > 1 {
        old.deleteLastPathComponent()
      }
      let names =
        (try? FileManager.default.contentsOfDirectory(
          atPath: old.deletingLastPathComponent().path)) ?? []
      return names.sorted().filter { $0.hasSuffix(".xcdatamodel") && $0 != old.lastPathComponent }
        .map {
          Step(
            fixture: fixture, old: old,
            new: old.deletingLastPathComponent().appendingPathComponent($0))
        }
    }

    /// By default, one step of each store, to a different version for each of them.
    static let tried: [Step] = {
      if WholeRun.isChosen { return all }
      return Dictionary(grouping: all) { $0.fixture.path }.sorted { $0.key < $1.key }
        .enumerated().map { $0.element.value[$0.offset % $0.element.value.count] }
    }()
  }

  @Test("The fixtures include stores with several model versions")
  func steps() {
    let names = Set(Step.all.map(\.fixture.name))
    for name in [
      "Bookmarks_V1.sqlite", "Bookmarks_V2.sqlite", "Bookmarks_V3.sqlite", "SampleModel_V1.sqlite",
      "CoreDataMigration_Example_1.sqlite",
    ] {
      #expect(names.contains(name))
    }
  }

  @Test("A migration keeps what both models have", arguments: Step.tried)
  func migrating(_ step: Step) throws {
    let old = try NSManagedObjectModel(validating: step.old)
    let new = try NSManagedObjectModel(validating: step.new)
    let folder = try TemporaryFolder()
    let url = try step.fixture.copy(into: folder)
    let before = try Contents(of: url, old, migrates: false)
    do {
      _ = try NSMappingModel.inferredMappingModel(
        forSourceModel: old, destinationModel: new)
    } catch {
      // If no mapping can be inferred, the migration fails and the store is unchanged.
      #expect(throws: NSError.self) { try Contents(of: url, new, migrates: true) }
      #expect(try Contents(of: url, old, migrates: false) == before)
      return
    }
    let after: Contents
    do {
      after = try Contents(of: url, new, migrates: true)
    } catch let error as NSError where error.code == NSMigrationMissingSourceModelError {
      // Old stores have no copy of their model, and the test program has no such model.
      #expect(["persistentStore", "Model1.sqlite"].contains(step.fixture.name))
      #expect(try Contents(of: url, old, migrates: false) == before)
      return
    }
    for entity in new.entities where !entity.isAbstract {
      let former = Self.former(
        entity, old.entities, name: { $0.name }, identifier: { $0.renamingIdentifier })
      let rows = after.rows[entity.name ?? ""] ?? [:]
      let formerRows = former.flatMap { before.rows[$0.name ?? ""] } ?? [:]
      #expect(Set(rows.keys) == Set(formerRows.keys), "\(entity.name ?? "")")
      for (key, row) in rows {
        for property in entity.properties {
          let name = property.name
          let same = Self.former(
            property, former?.properties ?? [], name: { $0.name },
            identifier: { $0.renamingIdentifier })
          if let same, Self.isComparable(same, property) {
            #expect(
              row[name] == formerRows[key]?[same.name], "\(entity.name ?? "").\(name) of \(key)")
          } else if same == nil, let attribute = property as? NSAttributeDescription,
            !(attribute is NSDerivedAttributeDescription), !attribute.isTransient
          {
            #expect(
              row[name] == Contents.text(attribute.defaultValue), "\(entity.name ?? "").\(name)")
          }
        }
      }
    }
  }

  /// Returns the earlier version of a part: the one with its renaming identifier, or with its name.
  private static func former<Part>(
    _ part: Part, _ old: [Part], name: (Part) -> String?, identifier: (Part) -> String?
  ) -> Part? {
    old.first { identifier($0) == identifier(part) } ?? old.first { name($0) == identifier(part) }
      ?? old.first { name($0) == name(part) }
  }

  private static func isComparable(
    _ old: NSPropertyDescription, _ new: NSPropertyDescription
  ) -> Bool {
    switch (old, new) {
    case (let old as NSAttributeDescription, let new as NSAttributeDescription):
      old.attributeType == new.attributeType && !old.isTransient && !new.isTransient
        && !(new is NSDerivedAttributeDescription)
    case (let old as NSRelationshipDescription, let new as NSRelationshipDescription):
      old.isToMany == new.isToMany
    default: false
    }
  }

  /// The contents of a store as text: by entity, key and property.
  struct Contents: Equatable {
    var rows: [String: [String: [String: String]]] = [:]

    init(of url: URL, _ model: NSManagedObjectModel, migrates: Bool) throws {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      let store = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url,
        options: migrates
          ? [
            NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
            NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
          ] : [NSReadOnlyPersistentStoreOption: NSNumber(value: true)])
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      try context.performAndWait {
        for entity in model.entities where !entity.isAbstract {
          let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
          request.includesSubentities = false
          for object in try context.fetch(request) {
            var values: [String: String] = [:]
            for property in entity.properties where !(property is NSFetchedPropertyDescription) {
              values[property.name] = Self.text(object.value(forKey: property.name))
            }
            rows[entity.name ?? "", default: [:]][Self.key(object)] = values
          }
        }
      }
      try coordinator.remove(store)
    }

    private static func key(_ object: NSManagedObject) -> String {
      object.objectID.uriRepresentation().lastPathComponent
    }

    static func text(_ value: Any?) -> String {
      switch value {
      case nil: "nil"
      case let object as NSManagedObject: key(object)
      case let set as NSSet:
        set.compactMap { ($0 as? NSManagedObject).map(key) }.sorted().joined(separator: " ")
      case let set as NSOrderedSet:
        set.compactMap { ($0 as? NSManagedObject).map(key) }.joined(separator: " ")
      case let data as Data: data.base64EncodedString()
      case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
      case let value?: "\(value)"
      }
    }
  }
}
