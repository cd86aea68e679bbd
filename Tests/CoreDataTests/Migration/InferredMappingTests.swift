import CoreData
import FixtureSupport
import Foundation
import Testing

@Suite struct InferredMappingTests {
  private func model(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
  }

  private func entity(
    _ name: String, _ properties: [NSPropertyDescription]
  ) -> NSEntityDescription {
    LibraryModels.entity(name, properties)
  }

  private func attribute(
    _ name: String, _ type: NSAttributeType = .stringAttributeType, was: String? = nil,
    isOptional: Bool = true
  ) -> NSAttributeDescription {
    let attribute = LibraryModels.attribute(name, type, isOptional: isOptional)
    if let was { attribute.renamingIdentifier = was }
    return attribute
  }

  @Test("Added, removed, unchanged and changed entities have mappings named like Apple's")
  func namesAndTypes() throws {
    let old = model([
      entity("Gone", [attribute("a")]), entity("Same", [attribute("a")]),
      entity("Other", [attribute("a"), attribute("b"), attribute("c")]),
    ])
    let new = model([
      entity("New", [attribute("a")]), entity("Same", [attribute("a")]),
      entity("Other", [attribute("a"), attribute("bee", was: "b"), attribute("d")]),
    ])
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: old, destinationModel: new)
    #expect(
      mapping.entityMappings.map(\.name)
        == ["IEM_Remove_Gone", "IEM_Add_New", "IEM_Transform_Other", "IEM_Copy_Same"])
    let other = try #require(mapping.entityMappingsByName["IEM_Transform_Other"])
    #expect(
      other.attributeMappings?.map { "\($0.name ?? "") \($0.valueExpression?.description ?? "-")" }
        == ["a $source.a", "bee $source.b", "d -"])
    #expect(other.userInfo?["mappedProperties"] as? Set<String> == ["a", "bee"])
    #expect(other.userInfo?["addedProperties"] as? Set<String> == ["d"])
    #expect(other.userInfo?["removedProperties"] as? Set<String> == ["c"])
    #expect(
      other.sourceExpression?.description
        == "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\" ,"
        + " \"Other\" , \"TRUEPREDICATE\"), $manager.sourceContext, NO)")
    #expect(mapping.entityMappingsByName["IEM_Add_New"]?.sourceExpression == nil)
  }

  @Test("Changes for which no mapping can be inferred throw an error that says why")
  func obstacles() throws {
    let old = model([entity("Person", [attribute("a"), attribute("b")])])
    let new = model([
      entity("Person", [attribute("a", .dateAttributeType), attribute("c", isOptional: false)])
    ])
    let error = #expect(throws: NSError.self) {
      try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
    }
    #expect(error?.domain == NSCocoaErrorDomain)
    #expect(error?.code == NSInferredMappingModelError)
    #expect(
      error?.localizedDescription
        == "Can't infer a mapping model: Person.a: type String → Date: values of the old type are not valid"
        + " for the new type; Person.c: added, required String: a value is required, and rows of Person have none"
    )
    let details = error?.userInfo[NSDetailedErrorsKey] as? [NSError]
    #expect(
      details?.last?.localizedRecoverySuggestion
        == "give the attribute a default value, make it optional, or provide its value in a mapping model"
    )
  }

  @Test(
    "Mapping models can be inferred for versions of the fixtures' models",
    .enabled(if: Fixtures.areAvailable, "no fixtures"))
  func fixtures() throws {
    let one = try MappingFixtures.model(MappingFixtures.sampleModels, "SampleModel")
    let two = try MappingFixtures.model(MappingFixtures.sampleModels, "SampleModel2")
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: one, destinationModel: two)
    #expect(mapping.entityMappings.allSatisfy { $0.name.hasPrefix("IEM_") })
    #expect(
      mapping.entityMappings.compactMap(\.destinationEntityName).sorted() == [
        "Car", "LuxuryCar", "Person", "SportCar",
      ])
  }
}
