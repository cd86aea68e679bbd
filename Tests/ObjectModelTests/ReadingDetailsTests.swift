import FixtureSupport
import Foundation
import Predicates
import Testing

@testable import ObjectModel

@Suite("Details that are read from a model", .enabled(if: Fixtures.areAvailable, "no fixtures"))
struct ReadingDetailsTests {
  /// A model with an example of nearly everything.
  private func everything() throws -> NSManagedObjectModel {
    try NSManagedObjectModel(
      validating: Fixtures.url(
        "models/momcom/momcommomcomTests.xcdatamodeld/momcTests 2.xcdatamodel"))
  }

  @Test("Entities have their names, classes, parents and notes")
  func entities() throws {
    let model = try everything()
    #expect(
      model.entities.map(\.name) == ["AbstractEntity", "Entity", "OtherEntity", "UnrelatedEntity"])
    let entity = try #require(model.entitiesByName["Entity"])
    #expect(model.entitiesByName["AbstractEntity"]?.isAbstract == true)
    #expect(entity.superentity?.name == "AbstractEntity")
    #expect(entity.managedObjectClassName == "EntityClass")
    #expect(model.entitiesByName["OtherEntity"]?.managedObjectClassName == "NSManagedObject")
    #expect(entity.renamingIdentifier == "myRenamingIdentifier")
    #expect(entity.versionHashModifier == "myVersionHashModifier")
    #expect(entity.userInfo as? [String: String] == ["someKey": "randomValue"])
    #expect(
      entity.compoundIndexNames == [
        ["booleanAttribute", "dateAttribute"], ["decimalAttribute", "doubleAttribute"],
      ])
    #expect(model.configurations == ["UnrelatedConfiguration"])
    #expect(
      model.entities(forConfigurationName: "UnrelatedConfiguration")?.map(\.name) == [
        "UnrelatedEntity"
      ])
  }

  @Test("Attributes have their types, defaults, rules and options")
  func attributes() throws {
    let entity = try #require(try everything().entitiesByName["Entity"])
    let attributes = entity.attributesByName
    let date = try #require(attributes["dateAttribute"])
    #expect(date.attributeType == .dateAttributeType)
    #expect(date.defaultValue as? Date == Date(timeIntervalSinceReferenceDate: 388_411_200))
    #expect(date.editorTexts.defaultValue?.text == "2013-04-23 12:00:00 +0000")
    #expect(date.editorTexts.maximum?.text == "2020-02-03 04:00")
    #expect(
      date.validationRules.map(\.predicateFormat) == [
        "SELF >= CAST(284000400.0, \"NSDate\")", "SELF <= CAST(602395200.0, \"NSDate\")",
      ])
    #expect(date.validationRules.map(\.warning) == [.code(1640), .code(1630)])
    #expect(
      date.validationPredicates.map { $0.evaluate(with: Date(timeIntervalSinceReferenceDate: 0)) }
        == [false, true])
    let decimal = try #require(attributes["decimalAttribute"])
    #expect((decimal.defaultValue as? NSDecimalNumber)?.decimalValue == 0)
    #expect(
      decimal.validationRules.map(\.predicateFormat) == ["SELF >= -4.5", "SELF <= 4.5"])
    let small = try #require(attributes["int16Attribute"])
    #expect(small.defaultValue as? Int == 0)
    #expect(small.validationRules.map(\.predicateFormat) == ["SELF >= -3", "SELF <= 9"])
    #expect(small.validationRules.map(\.warning) == [.code(1620), .code(1610)])
    #expect(small.validationWarnings as? [Int] == [1620, 1610])
    #expect(small.validationPredicates.map { $0.evaluate(with: 10) } == [true, false])
    let binary = try #require(attributes["binaryAttribute"])
    #expect(binary.isTransient)
    #expect(binary.isIndexedBySpotlight)
    #expect(binary.isStoredInExternalRecord)
    #expect(binary.isSyncable == true)
    #expect(
      binary.userInfo as? [String: String] == [
        "binaryBar": "NO", "binaryBaz": "MAYBE", "binaryFoo": "YES",
      ])
    #expect(attributes["transformableAttribute"]?.valueTransformerName == "myValueTransformer")
    #expect(attributes["stringAttribute"]?.attributeValueClassName == "NSString")
  }

  @Test("Length and pattern of a string are rules, which are evaluated as predicates")
  func textRules() throws {
    let attribute = try #require(
      try NSManagedObjectModel(
        contents: Samples.contents(
          #"""
          <entity name="A"><attribute name="mail" attributeType="String" minValueString="3" \#
          maxValueString="12" regularExpressionString="\A[^@]+@[^@]+\z"/></entity>
          """#)
      ).entitiesByName["A"]?.attributesByName["mail"])
    #expect(
      attribute.validationRules.map(\.predicateFormat) == [
        "length >= 3", "length <= 12", #"SELF MATCHES "\\A[^@]+@[^@]+\\z""#,
      ])
    #expect(attribute.validationRules.map(\.warning) == [.code(1670), .code(1660), .code(1680)])
    #expect(
      attribute.validationPredicates.map { $0.evaluate(with: "ab") } == [false, true, false])
    #expect(
      attribute.validationPredicates.map { $0.evaluate(with: "me@here.org") }
        == [true, true, true])
  }

  @Test("Relationships have both ends, counts and rules")
  func relationships() throws {
    let model = try everything()
    let many = try #require(
      model.entitiesByName["Entity"]?.relationshipsByName["otherEntities"])
    let one = try #require(model.entitiesByName["OtherEntity"]?.relationshipsByName["mainEntity"])
    #expect(many.destinationEntity?.name == "OtherEntity")
    #expect(many.inverseRelationship === one)
    #expect(one.inverseRelationship === many)
    #expect(many.minCount == 1)
    #expect(many.maxCount == 9)
    #expect(many.isToMany)
    #expect(one.minCount == 1)
    #expect(one.maxCount == 1)
    #expect(!one.isToMany)
    #expect(many.deleteRule == .nullifyDeleteRule)
  }

  @Test("Fetch requests and fetched properties have their settings")
  func fetchRequests() throws {
    let swiftGen = try NSManagedObjectModel(
      validating: Fixtures.url(
        "models/SwiftGen/TestUtils/Fixtures/CoreData/Model.xcdatamodeld/Model 2.xcdatamodel"))
    let templates = swiftGen.fetchRequestTemplates
    #expect(
      templates.keys.sorted() == [
        "DictionaryFetchRequest", "ObjectFetchRequest", "ObjectIDFetchRequest",
      ])
    let objects = try #require(templates["ObjectFetchRequest"])
    #expect(objects.entityName == "MainEntity")
    #expect(objects.predicateFormat == "uuid == $UUID")
    #expect(objects.returnsDistinctResults)
    #expect(templates["DictionaryFetchRequest"]?.resultType == 2)
    // Source of the flags: the same requests in the model that Apple's compiler made from this file.
    #expect(objects.archivedFlags == 31)
    #expect(templates["DictionaryFetchRequest"]?.archivedFlags == 14)
    #expect(templates["ObjectIDFetchRequest"]?.archivedFlags == 26)
    let property = try #require(
      try everything().entitiesByName["Entity"]?.propertiesByName["yesBooleans"]
        as? NSFetchedPropertyDescription)
    #expect(property.isTransient)
    #expect(property.fetchTemplate?.entityName == "Entity")
    #expect(property.fetchTemplate?.predicateFormat == "booleanAttribute = YES")
  }

  @Test("Composite and derived attributes have their elements and expressions")
  func compositeAndDerived() throws {
    let model = try NSManagedObjectModel(
      validating: Fixtures.url(
        "models/CoreDataEvolution/Models/Integration/CoreDataEvolutionIntegrationModel"
          + ".xcdatamodeld/CoreDataEvolutionIntegrationModel.xcdatamodel"))
    let location = try #require(
      model.entitiesByName["CDEItem"]?.attributesByName["location"]
        as? NSCompositeAttributeDescription)
    #expect(location.elements.map(\.name) == ["x", "y"])
    #expect(location.elements.map(\.isOptional) == [false, true])
    #expect(location.compositeName == "CDEItemLocation")
    #expect(model.composites.map(\.name) == ["CDEItemLocation"])
    let swiftGen = try NSManagedObjectModel(
      validating: Fixtures.url(
        "models/SwiftGen/TestUtils/Fixtures/CoreData/Model.xcdatamodeld/Model 2.xcdatamodel"))
    let count = try #require(
      swiftGen.entitiesByName["ChildEntity"]?.attributesByName["derivedCount"]
        as? NSDerivedAttributeDescription)
    #expect(count.derivationText == "oneToMany.@count")
    #expect(count.derivationExpression?.keyPath == "oneToMany.@count")
  }

  @Test("The file's header and its diagram are kept")
  func document() throws {
    let document = try #require(try everything().document)
    #expect(document.attributes["lastSavedToolsVersion"] != nil)
    #expect(document.cards.count == 4)
    #expect(document.cards.first?.entityName == "AbstractEntity")
    #expect(document.cards.first?.frame["positionX"] == "160")
  }
}
