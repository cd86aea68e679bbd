import CoreData
import Foundation
import Testing

/// Errors that an author can make in a mapping model. The migration ends in an error that identifies the
/// property.
@Suite("Errors in a mapping model")
struct MappingErrorTests {
  private static let old = ModelText.model("P: n i16; t -> T.ps\nT: x i16; ps ->> P.t")
  private static let new = ModelText.model(
    "P: n i16; extra string; t -> T.ps\nT: x i16; ps ->> P.t")

  private func property(_ name: String, _ format: String) -> NSPropertyMapping {
    let property = NSPropertyMapping()
    property.name = name
    property.valueExpression = NSExpression(format: format)
    return property
  }

  private func migrate(attribute: String? = nil, relationship: String? = nil) throws {
    let store = try MigratedStore()
    try store.with(Self.old) { context in
      let t = context.insert("T", ["x": 1])
      context.insert("P", ["n": 1, "t": t])
    }
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: Self.old, destinationModel: Self.new)
    let ofP = try #require(mapping.entityMappings.first { $0.destinationEntityName == "P" })
    if let attribute { ofP.attributeMappings = [property("extra", attribute)] }
    if let relationship { ofP.relationshipMappings = [property("t", relationship)] }
    try NSMigrationManager(sourceModel: Self.old, destinationModel: Self.new).migrateStore(
      from: store.url, type: .sqlite, mapping: mapping, to: store.folder.file("new.sqlite"),
      type: .sqlite)
  }

  // Without this check, the key of the object would be stored as if it were the key of a row of T.
  @Test("A relationship cannot refer to objects of another entity")
  func otherEntity() throws {
    let error = #expect(throws: NSError.self) {
      try migrate(
        relationship:
          "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'IEM_Transform_P', $source)"
      )
    }
    #expect(error?.localizedDescription.contains("an object of P instead of one of T") == true)
  }
}
