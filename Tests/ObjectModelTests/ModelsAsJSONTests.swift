import FixtureSupport
import Foundation
import Predicates
import Testing

@testable import ObjectModel

@Suite("Models as JSON")
struct ModelsAsJSONTests {
  /// A model with one of everything for which JSON has a key.
  private func everything() throws -> NSManagedObjectModel {
    let model = Samples.staff()
    let person = model.entities[0]
    person.representedClassName = "App.Person"
    person.isAbstract = true
    person.explicitRenamingIdentifier = "Human"
    person.versionHashModifier = "2"
    person.spotlightDisplayText = "name"
    person.codeGenerationType = "class"
    person.isSyncable = false
    person.userInfo = ["key": "value", 1: Date(timeIntervalSinceReferenceDate: 5)]
    person.compoundIndexes = [["name", "age"]]
    person.uniquenessConstraints = [["name"]]
    let element = NSFetchIndexElementDescription(propertyName: "age", collationType: .rTree)
    element.isAscending = false
    let computed = NSFetchIndexElementDescription(propertyName: "up", collationType: .binary)
    computed.expressionText = "uppercase:(name)"
    computed.expressionType = .stringAttributeType
    let index = NSFetchIndexDescription(name: "byAge", elements: [element, computed])
    index.partialPredicateFormat = "age > 1"
    person.indexes = [index]
    let values: [(NSAttributeType, Any)] = [
      (.integer64AttributeType, NSNumber(value: Int64.min)),
      (.doubleAttributeType, NSNumber(value: 0.1)), (.floatAttributeType, NSNumber(value: 1e20)),
      (.doubleAttributeType, NSNumber(value: Double.infinity)),
      (.decimalAttributeType, NSDecimalNumber(decimal: try #require(Decimal(scaled: "0.00")))),
      (.stringAttributeType, "\"\\\u{1}\n😀"), (.booleanAttributeType, NSNumber(value: true)),
      (.dateAttributeType, Date(timeIntervalSinceReferenceDate: -0.5)),
      (.binaryDataAttributeType, Data([0, 255])), (.UUIDAttributeType, UUID()),
      (.URIAttributeType, try #require(URL(string: "https://a.b/?c=d"))),
      (.transformableAttributeType, ["list": [1, 2]]), (.stringAttributeType, NSNumber(value: 3)),
    ]
    var added: [NSPropertyDescription] = values.enumerated().map { place, value in
      let attribute = Samples.attribute("v\(place)", value.0)
      attribute.defaultValue = value.1
      return attribute
    }
    let marked = Samples.attribute("marked", .binaryDataAttributeType)
    marked.allowsExternalBinaryDataStorage = true
    marked.preservesValueInHistoryOnDeletion = true
    marked.allowsCloudEncryption = true
    marked.usesScalarValueType = false
    marked.valueTransformerName = "T"
    marked.customValueClassName = "C"
    marked.isTransient = true
    marked.isIndexed = true
    marked.isIndexedBySpotlight = true
    marked.isStoredInExternalRecord = true
    marked.versionHashModifier = "m"
    marked.validationRules = [
      ValidationRule(.minimum(.integer(1))), ValidationRule(.maximum(.real(.infinity))),
      ValidationRule(.minimum(.decimal(Decimal(string: "1.5") ?? 0)), warning: .code(7)),
      ValidationRule(.maximum(.date(Date(timeIntervalSinceReferenceDate: 9)))),
      ValidationRule(.minimum(.date(Date(timeIntervalSinceReferenceDate: -.infinity)))),
      ValidationRule(.minimumLength(2)), ValidationRule(.maximumLength(3)),
      ValidationRule(.matches("a+\"")),
      ValidationRule(
        .predicate(try NSPredicate(validating: "SELF != nil")), warning: .message("!")),
    ]
    let derived = NSDerivedAttributeDescription()
    derived.name = "derived"
    derived.attributeType = .integer64AttributeType
    derived.derivationText = "members.@count"
    derived.filterText = "age > 3"
    let composite = NSCompositeAttributeDescription()
    composite.name = "place"
    composite.elements = [Samples.attribute("x", .doubleAttributeType)]
    let fetched = NSFetchedPropertyDescription()
    fetched.name = "peers"
    var request = FetchRequestTemplate(name: "f", entityName: "Team")
    request.predicateFormat = "title == $FETCH_SOURCE.name"
    request.setResultType(2)
    request.includesSubentities = false
    request.sortKeys = [.init(keyPath: "title", isAscending: false, selector: "compare:")]
    request.prefetchedKeyPaths = ["members"]
    request.propertiesToFetch = ["title"]
    request.propertiesToGroupBy = []
    request.havingPredicateFormat = "title != nil"
    request.fetchLimit = 1
    request.fetchOffset = 2
    request.fetchBatchSize = 3
    fetched.fetchTemplate = request
    added += [marked, derived, composite, fetched]
    person.ownProperties += added
    request.name = "all"
    model.fetchRequestTemplates = ["all": request]
    model.setEntities([person], forConfigurationName: "Some")
    model.configurationTable[0].isUsedWithCloudKit = true
    model.versionIdentifiers = ["b", "a"]
    model.localizationDictionary = ["Entity/Person": "Mensch"]
    model.compiler = ModelCompiler(toolVersion: 20086, xcodeVersion: 130_401)
    return model
  }

  private func text(_ model: NSManagedObjectModel) throws -> String {
    let version = VersionedModel.Version(name: "m", model: model)
    let data = try ModelJSON.data(of: VersionedModel(versions: [version]))
    return String(decoding: data, as: UTF8.self)
  }

  @Test("Everything is read as it was written, and equal models have equal JSON")
  func everythingComesBack() throws {
    let model = try everything()
    let once = try text(model)
    let read = try ModelJSON.read(Data(once.utf8), from: nil).currentModel
    let differences = Conversions.differences(once, try text(read))
    #expect(differences == [])
    #expect(read.entityVersionHashesByName == model.entityVersionHashesByName)
    // Archives show what JSON does not: the types of values.
    #expect(
      ArchiveGraph.differences(
        try ArchivedModelWriter.archive(read, as: .compiledModel),
        try ArchivedModelWriter.archive(model, as: .compiledModel)) == [])
  }

  @Test("Bounds that are not-a-number are read as they were written")
  func boundsWithoutANumber() throws {
    let model = Samples.staff()
    let date = Samples.attribute("date", .dateAttributeType)
    let number = Samples.attribute("number", .doubleAttributeType)
    let noDate = ValidationRule.Bound.date(Date(timeIntervalSinceReferenceDate: .nan))
    date.validationRules = [ValidationRule(.minimum(noDate)), ValidationRule(.maximum(noDate))]
    number.validationRules = [
      ValidationRule(.minimum(.real(.nan))), ValidationRule(.maximum(.real(.nan))),
    ]
    let price = Samples.attribute("price", .decimalAttributeType)
    price.validationRules = [
      ValidationRule(.minimum(.decimal(.nan))), ValidationRule(.maximum(.decimal(.nan))),
    ]
    let person = model.entities[0]
    person.ownProperties += [date, number, price]
    let once = try text(model)
    #expect(once.components(separatedBy: "\"NaN\"").count == 3)
    #expect(once.components(separatedBy: "\"nan\"").count == 5)
    #expect(try text(try ModelJSON.read(Data(once.utf8), from: nil).currentModel) == once)
  }

  /// An object whose description is the text of a key path.
  private final class NamedObject: NSObject {
    override var description: String { "name" }
  }

  @Test("A validation predicate is written only if its text is parsed as the same predicate")
  func rulesWithoutText() throws {
    let model = Samples.staff()
    let name = try #require(model.entities[0].attributesByName["name"])
    let predicate = try NSPredicate(validating: "SELF != %@", arguments: [NamedObject()])
    #expect(predicate.formatText == "SELF != name")
    for rule in [predicate, try NSPredicate(validating: "SELF IN %@", arguments: [[UUID()]])] {
      name.setValidationPredicates([rule], withValidationWarnings: nil)
      let error = #expect(throws: NSError.self) { try text(model) }
      #expect(error?.code == 134060)
      #expect(
        error?.localizedDescription
          == "The model, entity 'Person', property 'name': JSON cannot represent the predicate"
          + " '\(rule.formatText)', which has no text form.")
    }
    let rule = try NSPredicate(
      validating: "SELF IN %@ OR length > %@", arguments: [["a", "b"], 3])
    name.setValidationPredicates([rule], withValidationWarnings: nil)
    let read = try ModelJSON.read(Data(try text(model).utf8), from: nil).currentModel
    let rules = try #require(read.entitiesByName["Person"]?.attributesByName["name"])
      .validationPredicates
    #expect(rules.map(\.formatText) == [rule.formatText])
  }

  @Test(
    "Invalid JSON, and a missing or wrong format, are rejected with their location",
    arguments: [
      ("{}", "format: the key is missing."),
      (#"{"format": 1}"#, "format: it is a number, not a string."),
      (#"{"format": "x"}"#, "format: it is not 'OpenCoreData model'."),
      ("[1", "line 1: an array is not closed."),
      ("{\n\"a\": 1,\n\"a\": 2}", "line 3: 'a' occurs twice."),
      ("{\"a\": 01}", "line 1: a number starts with a zero."),
      ("{} {}", "line 1: there is text after the value."),
      (#"{"a": "\u-000"}"#, "line 1: an escape sequence does not have four digits."),
      (#"{"a": "\ud800"}"#, "line 1: an escape sequence contains half a surrogate pair."),
    ])
  func brokenText(text: String, reason: String) {
    let error = #expect(throws: NSError.self) { try ModelJSON.read(Data(text.utf8), from: nil) }
    #expect(error?.code == 259)
    #expect(error?.localizedDescription == "The model is damaged or not a model: \(reason)")
  }

  @Test(
    "A model with an error is rejected with the path of the error",
    arguments: [
      (#""entities": [{}]"#, "versions[0].entities[0].name: the key is missing."),
      (
        #""entities": [{"name": "A", "color": "red"}]"#,
        "versions[0].entities[0].color: the key is unknown."
      ),
      (
        #""entities": [{"name": "A", "properties": [{"name": "x", "type": "Int"}]}]"#,
        "versions[0].entities[0].properties[0].type: 'Int' is not a property type."
      ),
      (
        #""entities": [{"name": "A", "properties": [{"name": "x", "type": "Date", "default": "now"}]}]"#,
        "versions[0].entities[0].properties[0].default: a string is not a value of the type Date."
      ),
      (
        #""entities": [{"name": "A", "properties": [{"name": "x", "type": "String", "#
          + #""validation": [{"minimum": null}]}]}]"#,
        "versions[0].entities[0].properties[0].validation[0].minimum: it is not a bound: a number, "
          + "a decimal as a string, or a date."
      ),
      (
        #""entities": [{"name": "A", "properties": [{"name": "x", "type": "Relationship", "#
          + #""maxCount": 5, "deleteRule": "Deny"}]}]"#,
        "versions[0].entities[0].properties[0].maxCount: it contradicts 'toMany'."
      ),
      (
        #""fetchRequests": [{"name": "f", "entity": "A", "limit": 1e9}]"#,
        "versions[0].fetchRequests[0].limit: it is a number, not an integer in range."
      ),
      (
        #""editor": {"diagram": [{"entity": "A", "positionX": 1}]}"#,
        "versions[0].editor.diagram[0].positionX: it is a number, not a string."
      ),
      (
        #""entities": [{"name": "A", "properties": [{"name": "c", "type": "Composite", "#
          + #""composite": "P"}]}]"#,
        "versions[0].entities[0].properties[0].composite: the composite 'P' is not in the model."
      ),
    ])
  func errors(body: String, reason: String) {
    let text = """
      {"format": "OpenCoreData model", "formatVersion": 1, "versions": [{"name": "m", \(body)}]}
      """
    let error = #expect(throws: NSError.self) { try ModelJSON.read(Data(text.utf8), from: nil) }
    #expect(error?.code == 259)
    #expect(error?.localizedDescription == "The model is damaged or not a model: \(reason)")
  }

  @Test("JSON with a few wrong characters is read or rejected, without a crash")
  func randomDamage() throws {
    var random = SeededGenerator("damaged JSON")
    let whole = [UInt8](try text(try everything()).utf8)
    var refused = 0
    for _ in 0..<400 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0...3, using: &random) {
        case 0: bytes.remove(at: place)
        case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 2: bytes[place] = UInt8(ascii: "0") + UInt8.random(in: 0...9, using: &random)
        default: bytes.insert(contentsOf: bytes.dropFirst(place).prefix(30), at: place)
        }
      }
      do {
        let model = try ModelJSON.read(Data(bytes), from: nil).currentModel
        _ = try CompiledModel.data(of: model)
        _ = try ContentsWriter.write(model)
      } catch {
        refused += 1
      }
    }
    #expect(refused > 200)
  }

  @Test(
    "Composites, values and predicates that would expand exponentially are rejected or cut short",
    .timeLimit(.minutes(60)))
  func unfolding() throws {
    // Forty composites, each with ten attributes of the next one.
    var groups = ""
    for level in 0..<40 {
      let elements = (0..<10).map {
        #"<attribute name="a\#($0)" attributeType="Composite" composite="C\#(level + 1)"/>"#
      }
      groups += "<composite name=\"C\(level)\">\(elements.joined())</composite>"
    }
    groups += "<composite name=\"C40\"/>"
    let body =
      #"<entity name="A"><attribute name="x" attributeType="Composite" composite="C0"/></entity>"#
    let error = #expect(throws: NSError.self) {
      try NSManagedObjectModel(contents: Samples.contents(body + groups))
    }
    #expect(
      error?.localizedDescription
        == "The model, entity 'A', property 'x': its composites expand to too many elements.")

    // Sixteen arrays, each with a thousand references to the next one.
    let builder = KeyedArchiveBuilder()
    var value = builder.array([])
    for _ in 0..<15 { value = builder.array([PropertyListValue](repeating: value, count: 1000)) }
    let archive = builder.finish(root: value)
    _ = archive.swiftValue(.uid(archive.root))

    // A hundred predicates, each with two references to the next one.
    var predicate = builder.add(.truePredicate, [:])
    for _ in 0..<100 {
      predicate = builder.add(
        .compoundPredicate,
        [
          "NSCompoundPredicateType": .integer(1),
          "NSSubpredicates": builder.array([predicate, predicate]),
        ])
    }
    #expect(throws: ArchivedPredicate.Failure.self) {
      try ArchivedPredicate(archive: builder.archive).text(predicate)
    }
  }

  @Test(
    "Nesting and expansion of a file are limited, and no other file is read",
    .timeLimit(.minutes(60)))
  func bombs() {
    func refusal(_ text: String) -> String? {
      let model = NSManagedObjectModel()
      let data = Data(text.utf8)
      let error = #expect(throws: NSError.self) {
        if ModelJSON.isJSON(data) {
          _ = try ModelJSON.read(data, from: nil)
        } else {
          try ContentsReader.read(data, from: nil, into: model)
        }
      }
      return error?.localizedDescription
    }
    let deep = String(repeating: "{\"a\":", count: 100_000)
    #expect(refusal(deep)?.hasSuffix("line 1: values are nested too deeply.") == true)
    let lists = "{\"a\": " + String(repeating: "[", count: 100_000)
    #expect(refusal(lists)?.hasSuffix("line 1: values are nested too deeply.") == true)
    let elements = "<model>" + String(repeating: "<entity name=\"a\">", count: 100_000)
    #expect(refusal(elements)?.contains("nested deeper than 64 levels") == true)
    // Ten entities, each ten times the previous one: a billion characters if expanded.
    var bomb = "<!DOCTYPE model [<!ENTITY a0 \"aaaaaaaaaa\">"
    for level in 1...9 {
      let references = String(repeating: "&a\(level - 1);", count: 10)
      bomb += "<!ENTITY a\(level) \"\(references)\">"
    }
    bomb += "]><model><entity name=\"&a9;\"/></model>"
    #expect(refusal(bomb) != nil)
    let outside =
      "<!DOCTYPE model [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>"
      + "<model><entity name=\"A\">&e;</entity></model>"
    let model = NSManagedObjectModel()
    try? ContentsReader.read(Data(outside.utf8), from: nil, into: model)
    #expect(!model.unrecognized.contains { $0.contains("root:") })
  }
}
