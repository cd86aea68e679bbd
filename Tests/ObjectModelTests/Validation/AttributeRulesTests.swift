import Foundation
import Predicates
import Testing

@testable import ObjectModel

@Suite("Rules for attributes") struct AttributeRulesTests {
  @Test("A stored attribute has a type that can be stored")
  func types() throws {
    let spoiled = try SpoiledModel()
    try spoiled.attribute("age").attributeType = .undefinedAttributeType
    try spoiled.attribute("title").attributeType = .objectIDAttributeType
    let mood = Samples.attribute("mood", .undefinedAttributeType)
    mood.isTransient = true
    spoiled.team.ownProperties += [mood]
    #expect(
      spoiled.problems == [
        "unstorableType Person.age: a stored attribute needs a type, and it has none",
        "unstorableType Team.title: object IDs are not stored; use a relationship",
      ])
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300])
  func `A default value beyond every integer type is out of range`(value: Double) throws {
    let spoiled = try SpoiledModel()
    try spoiled.attribute("age").attributeType = .integer64AttributeType
    try spoiled.attribute("age").defaultValue = NSNumber(value: value)
    #expect(spoiled.model.problems.map(\.kind) == [.wrongDefault])
  }

  @Test(
    "A default value has the attribute's type",
    arguments: [
      (NSAttributeType.integer16AttributeType, "x" as any Sendable),
      (.integer64AttributeType, Date(timeIntervalSinceReferenceDate: 0)),
      (.doubleAttributeType, "1.5"), (.decimalAttributeType, "1.5"), (.stringAttributeType, 5),
      (.booleanAttributeType, "YES"), (.dateAttributeType, 5), (.binaryDataAttributeType, "x"),
      (.UUIDAttributeType, "x"), (.URIAttributeType, "x"),
    ])
  func wrongDefaults(type: NSAttributeType, value: any Sendable) throws {
    let spoiled = try SpoiledModel()
    try spoiled.attribute("age").attributeType = type
    try spoiled.attribute("age").defaultValue = value
    #expect(spoiled.model.problems.map(\.kind) == [.wrongDefault])
    #expect(
      spoiled.model.problems.first?.message.hasSuffix(
        "is not of the type \(type.modelFileName)") == true)
  }

  @Test(
    "A default value of the right type is accepted, as a Swift or a Foundation type",
    arguments: [
      (NSAttributeType.integer16AttributeType, 5 as any Sendable),
      (.integer32AttributeType, Int32(5)), (.doubleAttributeType, 1.5), (.floatAttributeType, 2),
      (.decimalAttributeType, Decimal(5)), (.stringAttributeType, "x"),
      (.booleanAttributeType, true), (.dateAttributeType, Date(timeIntervalSinceReferenceDate: 0)),
      (.binaryDataAttributeType, Data([1])), (.UUIDAttributeType, UUID()),
      (.URIAttributeType, URL(fileURLWithPath: "/")), (.transformableAttributeType, ["x"]),
    ])
  func rightDefaults(type: NSAttributeType, value: any Sendable) throws {
    let spoiled = try SpoiledModel()
    try spoiled.attribute("age").attributeType = type
    try spoiled.attribute("age").defaultValue = value
    #expect(spoiled.problems == [])
  }

  @Test func `A default value with a fraction is a warning for an integer`() throws {
    let spoiled = try SpoiledModel()
    try spoiled.attribute("age").defaultValue = 1.5
    #expect(
      spoiled.problems == [
        "invalidDefault Person.age: the default value 1.5 is not a whole number, and Integer 16"
          + " stores only its integer part"
      ])
    #expect(!spoiled.model.problems.contains { $0.severity == .error })
    try spoiled.attribute("age").defaultValue = 2.0
    #expect(spoiled.problems == [])
  }

  @Test("A default value fits the type, and breaking the attribute's rules is a warning")
  func unfitDefaults() throws {
    let spoiled = try SpoiledModel()
    try spoiled.attribute("age").defaultValue = 40000
    let title = try spoiled.attribute("title")
    title.defaultValue = "x"
    title.validationRules = [ValidationRule(.minimumLength(2)), ValidationRule(.maximumLength(5))]
    #expect(
      spoiled.problems == [
        "wrongDefault Person.age: the default value 40000 is outside the range of Integer 16",
        "invalidDefault Team.title: the default value \"x\" violates the rule length >= 2",
      ])
  }

  @Test("Each setting without effect causes a warning")
  func settings() throws {
    let spoiled = try SpoiledModel()
    try spoiled.attribute("age").valueTransformerName = "Ages"
    try spoiled.attribute("title").allowsExternalBinaryDataStorage = true
    #expect(
      spoiled.problems == [
        "uselessSetting Person.age: a value transformer has no effect on an Integer 16 attribute",
        "uselessSetting Team.title: a String attribute is never stored in a separate file",
      ])
  }

  @Test("A minimum is not above its maximum")
  func ranges() throws {
    let spoiled = try SpoiledModel()
    try spoiled.attribute("age").validationRules = [
      ValidationRule(.minimum(.integer(10))), ValidationRule(.maximum(.integer(5))),
    ]
    try spoiled.attribute("title").validationRules = [
      ValidationRule(.minimumLength(9)), ValidationRule(.maximumLength(3)),
    ]
    #expect(
      spoiled.problems == [
        "impossibleRange Person.age: the minimum value 10 is greater than the maximum, 5",
        "impossibleRange Team.title: the minimum length 9 is greater than the maximum, 3",
      ])
  }

  // A loop instead of arguments: the test library prints arguments, and printing this date stops the program.
  @Test("A bound is a number or a date")
  func noNumbers() throws {
    let bounds: [ValidationRule.Bound] = [
      .real(.nan), .decimal(.nan), .date(Date(timeIntervalSinceReferenceDate: .nan)),
    ]
    let spoiled = try SpoiledModel()
    for bound in bounds {
      try spoiled.attribute("age").validationRules = [ValidationRule(.minimum(bound))]
      #expect(spoiled.problems == ["impossibleRange Person.age: the minimum value is not a number"])
      try spoiled.attribute("age").validationRules = [ValidationRule(.maximum(bound))]
      #expect(spoiled.problems == ["impossibleRange Person.age: the maximum value is not a number"])
    }
  }

  @Test("Patterns and predicates can be parsed")
  func patterns() throws {
    let spoiled = try SpoiledModel()
    try spoiled.attribute("name").validationRules = [ValidationRule(.matches("a[b"))]
    try spoiled.attribute("title").setValidationPredicates(
      [try NSPredicate(validating: "SELF MATCHES %@", arguments: ["(x"])],
      withValidationWarnings: nil)
    try spoiled.attribute("age").validationRules = [ValidationRule(.format("SELF >"))]
    #expect(
      spoiled.model.problems.map { "\($0.kind) \($0.subject)" } == [
        "invalidPattern Person.name", "unreadableText Person.age", "invalidPattern Team.title",
      ])
  }

  @Test("A derived attribute's expression uses only existing properties")
  func derived() throws {
    let spoiled = try SpoiledModel()
    func add(_ name: String, _ text: String?) {
      let derived = NSDerivedAttributeDescription()
      derived.name = name
      derived.attributeType = .stringAttributeType
      derived.derivationText = text
      spoiled.team.ownProperties += [derived]
    }
    add("size", "members.@count")
    add("canonical", "canonical:(title)")
    add("when", "now()")
    add("shifted", "add:to:(members.@count, 1)")
    #expect(spoiled.problems == [])
    add("nothing", nil)
    add("unknown", "membrs.@count")
    add("far", "title.length")
    add("strange", "dancing:(title)")
    add("broken", "a +")
    add("moment", "castObject:toType:(now(), 'NSNumber')")
    #expect(
      spoiled.problems.prefix(3) == [
        "invalidDerivation Team.nothing: the derived attribute has no expression",
        "invalidDerivation Team.unknown: the expression uses a property that 'Team' does not have:"
          + " 'membrs' (did you mean 'members'?)",
        "invalidDerivation Team.far: the expression's path 'title.length' continues after an attribute",
      ])
    #expect(
      spoiled.model.problems.dropFirst(3).map { "\($0.kind) \($0.subject)" } == [
        "invalidDerivation Team.strange", "invalidDerivation Team.broken",
        "invalidDerivation Team.moment",
      ])
    #expect(spoiled.model.problems.last?.message == "'now()' can only be the whole expression")
  }

  /// Source: NSDerivedAttributeDescription.h: the expression "must either be a keypath expression
  /// (including @operation components) or a function expression using one of the predefined
  /// functions".
  @Test(
    "A derivation is a key path, or a predefined function of key paths and constants",
    arguments: [
      ("title", true), ("members.age.@sum", true), ("address.street", true),
      ("length:(title)", true), ("uppercase:(lowercase:(title))", true),
      ("members.@max.age - 1", true), ("title + '!'", true),
      ("SUBQUERY(members, $m, $m.age > 1).@count", false),
      ("TERNARY(title == nil, 1, 2)", false), ("random()", false), ("randomn:(9)", false),
      ("$title", false), ("'title'", false),
      ("SELF", false), ("FUNCTION(title, 'uppercaseString')", false), ("address.town", false),
    ])
  func derivations(text: String, isAllowed: Bool) throws {
    let spoiled = try SpoiledModel()
    let address = NSCompositeAttributeDescription()
    address.name = "address"
    address.elements = [Samples.attribute("street", .stringAttributeType)]
    let derived = NSDerivedAttributeDescription()
    derived.name = "derived"
    derived.attributeType = .stringAttributeType
    derived.derivationText = text
    spoiled.team.ownProperties += [address, derived]
    let problems = spoiled.model.problems
    #expect(
      problems.map { "\($0.kind) \($0.subject)" }
        == (isAllowed ? [] : ["invalidDerivation Team.derived"]))
    if !isAllowed, !text.hasPrefix("address") {
      #expect(
        problems.first?.message.hasSuffix(
          " is neither a key path nor a function that a store can compute") == true,
        "\(problems)")
    }
  }

  @Test("A composite attribute has elements and does not contain itself")
  func composites() throws {
    let spoiled = try SpoiledModel()
    let address = NSCompositeAttributeDescription()
    address.name = "address"
    spoiled.person.ownProperties += [address]
    #expect(
      spoiled.problems == [
        "invalidComposite Person.address: the composite attribute has no elements"
      ])
    let place = NSCompositeAttributeDescription()
    place.name = "place"
    place.elements = [address]
    address.elements = [
      Samples.attribute("street", .stringAttributeType),
      Samples.attribute("street", .undefinedAttributeType), place,
    ]
    defer { place.elements = [] }
    #expect(
      spoiled.problems == [
        "repeatedName Person.address: two elements have the name 'street'",
        "unstorableType Person.address: the element 'street' has no type",
        "invalidComposite Person.address: the element 'place' contains itself through its element 'address'",
      ])
  }

  @Test("The default value of a composite contains its elements")
  func compositeDefaults() throws {
    let spoiled = try SpoiledModel()
    let address = NSCompositeAttributeDescription()
    address.name = "address"
    address.elements = [Samples.attribute("street", .stringAttributeType)]
    spoiled.person.ownProperties += [address]
    address.defaultValue = ["street": "Main Street"]
    #expect(spoiled.problems == [])
    address.defaultValue = ["strt": "Main Street"]
    #expect(
      spoiled.problems == [
        "wrongDefault Person.address: the default value contains the unknown element 'strt'"
      ])
    address.defaultValue = ["street": 5]
    #expect(
      spoiled.problems == [
        "wrongDefault Person.address: the default value 5 is not of the type String (element 'street')"
      ])
  }
}
