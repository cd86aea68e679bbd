import FixtureSupport
import Foundation
import Testing

@testable import ObjectModel

@Suite("Damaged models")
struct DamagedModelsTests {
  /// Returns the code and the text of the error that reading a source model throws.
  private func refusal(_ body: String) throws -> (code: Int, text: String) {
    let error = #expect(throws: NSError.self) {
      try NSManagedObjectModel(contents: Samples.contents(body))
    }
    let unwrapped = try #require(error)
    #expect(unwrapped.domain == NSCocoaErrorDomain)
    return (unwrapped.code, unwrapped.localizedDescription)
  }

  @Test(
    "A contradictory model is rejected with an error that states location and reason",
    arguments: [
      (
        #"<entity name="A"/><entity name="A"/>"#,
        "The model, entity 'A': the entity occurs twice."
      ),
      (
        #"<entity name="A" parentEntity="B"/>"#,
        "The model, entity 'A': its parent entity 'B' is not in the model."
      ),
      (
        #"<entity name="A" parentEntity="B"/><entity name="B" parentEntity="A"/>"#,
        "The model, entity 'A': it is its own ancestor."
      ),
      (
        #"<entity name="A"><attribute name="x" attributeType="Int"/></entity>"#,
        "The model, entity 'A', property 'x': 'Int' is not an attribute type."
      ),
      (
        #"<entity name="A"><attribute name="x"/><attribute name="x"/></entity>"#,
        "The model, entity 'A', property 'x': the property occurs twice."
      ),
      (
        #"<entity name="A"><relationship name="r" destinationEntity="B"/></entity>"#,
        "The model, entity 'A', property 'r': its destination entity 'B' is not in the model."
      ),
      (
        #"<entity name="A"><relationship name="r"/></entity>"#,
        "The model, entity 'A', property 'r': the relationship has no destination entity."
      ),
      (
        #"""
        <entity name="A"><relationship name="r" destinationEntity="A" inverseName="s" \#
        inverseEntity="A"/></entity>
        """#,
        "The model, entity 'A', property 'r': its inverse 'A.s' is not a relationship of the model."
      ),
      (
        #"""
        <entity name="A"><relationship name="r" destinationEntity="A" deletionRule="Never"/></entity>
        """#,
        "The model, entity 'A', property 'r': 'Never' is not a deletion rule."
      ),
      (
        #"""
        <entity name="A"><relationship name="r" toMany="YES" maxCount="3000000000" \#
        destinationEntity="A"/></entity>
        """#,
        "The model, entity 'A', property 'r': maxCount '3000000000' is not a 32-bit integer."
      ),
      (
        #"""
        <entity name="A"><attribute name="n" attributeType="Integer 16" \#
        defaultValueString="many"/></entity>
        """#,
        "The model, entity 'A', property 'n': "
          + "the default value 'many' does not fit the type Integer 16."
      ),
      (
        #"""
        <entity name="A"><attribute name="d" attributeType="Date" minDateTimeInterval="inf"/></entity>
        """#,
        "The model, entity 'A', property 'd': the minimum value 'inf' does not fit the type Date."
      ),
      (
        #"""
        <entity name="A"><attribute name="n" attributeType="Decimal" maxValueString="NaN"/></entity>
        """#,
        "The model, entity 'A', property 'n': the maximum value 'NaN' does not fit the type Decimal."
      ),
      (
        #"""
        <entity name="A"><uniquenessConstraints><uniquenessConstraint><constraint value="k"/>\#
        </uniquenessConstraint></uniquenessConstraints></entity>
        """#,
        "The model, entity 'A': a uniqueness constraint contains the unknown property 'k'."
      ),
      (
        #"""
        <entity name="A"><fetchIndex name="i"><fetchIndexElement property="k" type="Binary"/>\#
        </fetchIndex></entity>
        """#,
        "The model, entity 'A': index 'i' contains the unknown property 'k'."
      ),
      (
        #"""
        <entity name="A"><attribute name="c" attributeType="Composite" composite="P"/>\#
        <uniquenessConstraints><uniquenessConstraint><constraint value="c.y"/>\#
        </uniquenessConstraint></uniquenessConstraints></entity>\#
        <composite name="P"><attribute name="x" attributeType="String"/></composite>
        """#,
        "The model, entity 'A': a uniqueness constraint contains the unknown property 'c.y'."
      ),
      (
        #"<entity name="A"/><fetchRequest name="all" entity="B"/>"#,
        "The model: fetch request 'all' fetches the unknown entity 'B'."
      ),
      (
        #"<entity name="A"/><configuration name="c"><memberEntity name="B"/></configuration>"#,
        "The model: configuration 'c' has the unknown entity 'B'."
      ),
      (
        #"""
        <entity name="A"><attribute name="c" attributeType="Composite" composite="P"/></entity>\#
        <composite name="P"><attribute name="c" attributeType="Composite" composite="P"/></composite>
        """#,
        "The model, entity 'A', property 'c': the composite 'P' contains itself."
      ),
    ])
  func contradictions(body: String, message: String) throws {
    let (code, text) = try refusal(body)
    #expect(code == 134060)
    #expect(text == message)
  }

  @Test func `A chain of entities that is too long, and a cycle, have different errors`()
    throws
  {
    /// Each entity is the parent of the next one. If `end` is given, that entity is the parent of the first one.
    func chain(_ count: Int, closedAt end: Int? = nil) -> String {
      (0..<count).map { number -> String in
        let parent = number > 0 ? number - 1 : end
        let attribute = parent.map { " parentEntity=\"E\($0)\"" } ?? ""
        return "<entity name=\"E\(number)\"\(attribute)/>"
      }.joined()
    }
    let longest = try NSManagedObjectModel(contents: Samples.contents(chain(1_000)))
    #expect(longest.entitiesByName["E999"]?.lineage.first?.name == "E0")
    #expect(
      try refusal(chain(2_000)).text
        == "The model, entity 'E1000': it has 1000 ancestors; the maximum is 999.")
    #expect(
      try refusal(chain(1_200, closedAt: 9)).text
        == "The model, entity 'E0': it is its own ancestor.")
    // An entity below a cycle is not part of it.
    let below = #"<entity name="A" parentEntity="E1"/>"# + chain(2, closedAt: 1)
    #expect(try refusal(below).text == "The model, entity 'E1': it is its own ancestor.")
  }

  @Test("Unknown content is recorded with its line and does not prevent reading the model")
  func unknownThings() throws {
    let model = try NSManagedObjectModel(
      contents: Samples.contents(
        """
        <entity name="A" shade="dark">
          <attribute name="x" attributeType="String" optional="maybe"/>
          <ghost/>
        </entity>
        <fetchRequest name="bad" entity="A" predicateString="x =="/>
        """))
    #expect(model.entities.map(\.name) == ["A"])
    #expect(
      model.unrecognized.prefix(3) == [
        "line 4: attribute 'optional' of <attribute> in attribute 'A.x'",
        "line 5: element <ghost> in entity 'A'",
        "line 3: attribute 'shade' of <entity> in entity 'A'",
      ])
    #expect(model.unrecognized.count == 4)
    #expect(model.unrecognized.last?.hasPrefix("predicate 'x ==' of fetch request 'bad'") == true)
  }

  @Test("An unknown element of the diagram is recorded and is not the position of an entity")
  func unknownElementOfDiagram() throws {
    let model = try NSManagedObjectModel(
      contents: Samples.contents(
        """
        <entity name="A"/>
        <elements>
          <element name="A" positionX="1" positionY="2" width="3" height="4"/>
          <note name="B"/>
        </elements>
        """))
    #expect(model.document?.cards.map(\.entityName) == ["A"])
    #expect(model.unrecognized == ["line 6: element <note> in the diagram"])
  }

  @Test("A file that is not a model is rejected with its path")
  func noModel() throws {
    let missing = URL(fileURLWithPath: "/nowhere/Model.momd")
    var error = #expect(throws: NSError.self) { try NSManagedObjectModel(validating: missing) }
    #expect(error?.code == 260)
    #expect(error?.localizedDescription == "There is no model file at /nowhere/Model.momd.")
    #expect(NSManagedObjectModel(contentsOf: missing) == nil)

    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).mom")
    defer { try? FileManager.default.removeItem(at: file) }
    let notText = Data("<mod".utf8) + Data([0xF8]) + Data("el/>".utf8)
    for bytes in [Data(), notText, Data("hello".utf8), Data("<a/>".utf8), Data("bplist00".utf8)] {
      try bytes.write(to: file)
      error = #expect(throws: NSError.self) { try NSManagedObjectModel(validating: file) }
      #expect(error?.code == 259)
      #expect(error?.localizedDescription.contains(file.path) == true)
    }
  }

  @Test("XML entities that expand to a huge text are rejected")
  func unfoldingXML() throws {
    var text = "<?xml version=\"1.0\"?><!DOCTYPE model [<!ENTITY a \"aaaaaaaaaa\">"
    for (name, previous) in zip("bcdefghij", "abcdefghi") {
      text += "<!ENTITY \(name) \"" + String(repeating: "&\(previous);", count: 10) + "\">"
    }
    text += "]><model><entity name=\"&j;\"/></model>"
    let error = #expect(throws: NSError.self) {
      try NSManagedObjectModel(contents: Data(text.utf8))
    }
    #expect(error?.code == 259)
  }

  // Foundation's parser accepts a document that ends before its root element does.
  @Test("A source model that is truncated anywhere is rejected")
  func cutSource() throws {
    let whole = Samples.contents(
      #"<entity name="A"><attribute name="x" optional="YES" attributeType="String"/></entity>"#)
    let end = try #require(whole.range(of: Data("</model>".utf8))).upperBound
    #expect(try NSManagedObjectModel(contents: whole.prefix(end)).entities.count == 1)
    for length in 0..<end {
      let error = #expect(throws: NSError.self, "\(length) bytes") {
        try NSManagedObjectModel(contents: Data(whole.prefix(length)))
      }
      #expect(error?.code == 259, "\(length) bytes")
    }
  }

  @Test(
    "A comparison with an unknown operator or modifier is rejected",
    arguments: [
      (55, 0, "a comparison has the unknown operator 55."),
      (4, 7, "a comparison has the unknown modifier 7."),
    ])
  func unknownComparison(type: Int64, modifier: Int64, reason: String) {
    let builder = KeyedArchiveBuilder()
    let comparator = builder.add(
      .equalityOperator,
      ["NSOperatorType": .integer(type), "NSModifier": .integer(modifier)])
    let predicate = builder.add(
      .comparisonPredicate,
      [
        "NSPredicateOperator": comparator, "NSLeftExpression": builder.selfExpression,
        "NSRightExpression": builder.selfExpression,
      ])
    let error = #expect(throws: ArchivedPredicate.Failure.self) {
      try ArchivedPredicate(archive: builder.archive).text(predicate)
    }
    #expect(error?.reason == reason)
  }

  @Test("A cache that is truncated or contains something else is rejected")
  func brokenCache() throws {
    let cache = try Samples.staff().storeModelCache()
    for data in [Data(), Data([1, 2, 3]), cache.prefix(cache.count / 2), cache.dropLast()] {
      let error = #expect(throws: NSError.self) {
        try NSManagedObjectModel(storeModelCache: Data(data))
      }
      #expect(error?.code == 259)
    }
    let other = try Deflate.compress(Data("no archive".utf8))
    #expect(throws: NSError.self) { try NSManagedObjectModel(storeModelCache: other) }
  }
}
