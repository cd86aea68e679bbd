import CoreData
import Foundation
import Testing

@Suite("Keys in a mapping model that no entity has")
struct UnknownMappingKeysTests {
  @Test(
    "An unknown key ends the migration in an error, anywhere in an expression",
    arguments: [
      "$source.nosuch", "$destination.nosuch", "nosuch", "TERNARY(1 = 1, $source.nosuch, 'a')",
      "{$source.nosuch}", "FUNCTION($source.nosuch, 'description')",
      "FUNCTION($source, 'valueForKey:', 'nosuch')",
      "SUBQUERY($source.t.ps, $p, $p.nosuch = 1).@count",
    ])
  func refused(_ format: String) throws {
    let old = ModelText.model("P: n i16; t -> T.ps\nT: x i16; ps ->> P.t")
    let new = ModelText.model("P: n i16; extra string; t -> T.ps\nT: x i16; ps ->> P.t")
    let store = try MigratedStore()
    try store.with(old) { context in
      let t = context.insert("T", ["x": 1])
      context.insert("P", ["n": 1, "t": t])
    }
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: old, destinationModel: new)
    let property = NSPropertyMapping()
    property.name = "extra"
    property.valueExpression = NSExpression(format: format)
    mapping.entityMappings.first { $0.destinationEntityName == "P" }?.attributeMappings = [property]
    let error = #expect(throws: NSError.self) {
      try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
        from: store.url, type: .sqlite, mapping: mapping, to: store.folder.file("new.sqlite"),
        type: .sqlite)
    }
    #expect(error?.code == NSMigrationError)
    #expect(error?.localizedDescription.contains("nosuch") == true)
  }

  @Test(
    "An element that a composite attribute does not have ends the migration in an error",
    arguments: [
      ("$source.location.height", false), ("$source.location.address.height", false),
      ("$source.t.location.height", false), ("$source.location.address.city", true),
      ("$source.t.location.address.city", true),
    ])
  func elements(_ format: String, _ isKnown: Bool) throws {
    let old = ModelText.model("P: n i16; t -> T.ps\nT: x i16; ps ->> P.t")
    let new = ModelText.model("P: n i16; extra string; t -> T.ps\nT: x i16; ps ->> P.t")
    for entity in old.entities + new.entities {
      entity.properties.append(SampleStack.makeLocation())
    }
    let store = try MigratedStore()
    try store.with(old) { context in
      let location = ["address": ["city": "Oslo"]]
      let t = context.insert("T", ["x": 1, "location": location])
      context.insert("P", ["n": 1, "t": t, "location": location])
    }
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: old, destinationModel: new)
    let property = NSPropertyMapping()
    property.name = "extra"
    property.valueExpression = NSExpression(format: format)
    mapping.entityMappings.first { $0.destinationEntityName == "P" }?.attributeMappings = [property]
    func migrate() throws {
      try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
        from: store.url, type: .sqlite, mapping: mapping, to: store.folder.file("new.sqlite"),
        type: .sqlite)
    }
    if isKnown { return try migrate() }
    let error = #expect(throws: NSError.self) { try migrate() }
    #expect(error?.code == NSMigrationError)
    #expect(error?.localizedDescription.contains("location") == true)
  }
}
