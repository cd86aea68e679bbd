import Foundation
import Predicates
import Testing

@testable import ObjectModel

@Suite("Rules for references to properties and entities") struct ReferenceRulesTests {
  @Test("Uniqueness constraints name properties that have a column")
  func constraints() throws {
    let spoiled = try SpoiledModel()
    let mood = Samples.attribute("mood", .stringAttributeType)
    mood.isTransient = true
    spoiled.team.ownProperties += [mood]
    spoiled.person.uniquenessConstraints = [
      ["nam"], [], ["name", "age"], ["age", "name"], ["team"],
    ]
    spoiled.team.uniquenessConstraints = [["members"], ["mood"], [5]]
    #expect(
      spoiled.problems == [
        "invalidConstraint Person: a uniqueness constraint contains the unknown property 'nam'"
          + " (did you mean 'name'?)",
        "emptyConstraint Person: a uniqueness constraint is empty, and constrains nothing",
        "repeatedConstraint Person: the uniqueness constraint (age, name) occurs twice",
        "invalidConstraint Team: a uniqueness constraint contains 'members', which is a to-many"
          + " relationship",
        "invalidConstraint Team: a uniqueness constraint contains 'mood', which is transient",
        "invalidConstraint Team: a uniqueness constraint has a member that is neither a property nor a"
          + " name",
      ])
  }

  /// A merge policy settles only conflicts that are found when a row is written. Other derived values do not exist then.
  @Test(
    "Of derived attributes, uniqueness constraints name only normalized strings of the same object")
  func derivedConstraints() throws {
    let spoiled = try SpoiledModel()
    let late = [
      "same": "name", "when": "now()", "twice": "uppercase:(lower)",
      "far": "lowercase:(team.title)",
    ]
    for (name, text) in late.merging(["lower": "lowercase:(name)"], uniquingKeysWith: { $1 }) {
      let derived = NSDerivedAttributeDescription()
      derived.name = name
      derived.attributeType = .stringAttributeType
      derived.derivationText = text
      spoiled.person.ownProperties += [derived]
    }
    let names = late.keys.sorted()
    spoiled.person.uniquenessConstraints = (["lower"] + names).map { [$0] }
    #expect(
      spoiled.problems
        == names.map {
          "invalidConstraint Person: a uniqueness constraint contains '\($0)', which is derived, but not by"
            + " 'canonical:', 'lowercase:' or 'uppercase:' from the same object"
        })
    spoiled.model.isCompiled = true
    #expect(spoiled.model.problems.allSatisfy { $0.severity == .warning })
  }

  @Test("Constraints may name inherited properties, by description or by name")
  func inheritedConstraints() throws {
    let spoiled = try SpoiledModel()
    spoiled.employee.uniquenessConstraints = [[try spoiled.attribute("name"), "salary"]]
    #expect(spoiled.problems == [])
  }

  @Test func `Constraints and indexes of a model file may name elements of composite attributes`()
    throws
  {
    let names = ["place.at.x", "place.name"]
    let model = try NSManagedObjectModel(
      contents: Samples.contents(
        """
        <entity name="A"><attribute name="place" attributeType="Composite" composite="Place"/>
        <fetchIndex name="i"><fetchIndexElement property="place.at.x" type="Binary"/></fetchIndex>
        <uniquenessConstraints><uniquenessConstraint><constraint value="place.at.x"/>
        <constraint value="place.name"/></uniquenessConstraint></uniquenessConstraints></entity>
        <composite name="Place"><attribute name="at" attributeType="Composite" composite="Point"/>
        <attribute name="name" attributeType="String"/></composite>
        <composite name="Point"><attribute name="x" attributeType="Double"/></composite>
        """))
    let data = try ModelJSON.data(of: VersionedModel(versions: [.init(name: "1", model: model)]))
    for read in [model, try ModelJSON.read(data, from: nil).currentModel] {
      let entity = try #require(read.entitiesByName["A"])
      #expect(entity.uniquenessConstraintNames == [names])
      #expect(entity.indexes.map { $0.elements.map(\.propertyName) } == [["place.at.x"]])
      #expect(!read.problems.contains { [.invalidConstraint, .invalidIndex].contains($0.kind) })
    }
  }

  @Test("Indexes name existing properties, and an index without effect is a warning")
  func indexes() throws {
    let spoiled = try SpoiledModel()
    func element(_ name: String) -> NSFetchIndexElementDescription {
      NSFetchIndexElementDescription(propertyName: name, collationType: .binary)
    }
    spoiled.team.indexes = [
      NSFetchIndexDescription(name: "byTitle", elements: [element("title"), element("titel")]),
      NSFetchIndexDescription(name: "byTitle", elements: [element("title")]),
      NSFetchIndexDescription(name: "nothing", elements: []),
      NSFetchIndexDescription(name: "byMembers", elements: [element("members")]),
    ]
    spoiled.team.indexes[1].partialPredicateFormat = "title >"
    spoiled.person.compoundIndexes = [["name", "agee"]]
    #expect(
      spoiled.problems.filter { !$0.hasPrefix("unreadable") } == [
        "invalidIndex Person: a compound index contains the unknown property 'agee' (did you mean"
          + " 'age'?)",
        "invalidIndex Team: the index 'byTitle' contains the unknown property 'titel' (did you mean"
          + " 'title'?)",
        "repeatedIndex Team: two indexes have the name 'byTitle'",
        "invalidIndex Team: the index 'nothing' has no elements",
        "uselessIndex Team: the index 'byMembers' contains 'members', which is a to-many relationship",
      ])
    #expect(spoiled.model.problems.contains { $0.kind == .unreadableText })
  }

  /// SQLite ignores the case of names, and its page "The SQLite R*Tree Module" limits R-trees to five dimensions.
  @Test("An index that SQLite cannot contain is a warning")
  func indexesOutsideSQLite() throws {
    let spoiled = try SpoiledModel()
    func tree(_ name: String, _ names: [String]) -> NSFetchIndexDescription {
      NSFetchIndexDescription(
        name: name,
        elements: names.map {
          NSFetchIndexElementDescription(propertyName: $0, collationType: .rTree)
        })
    }
    let keys = (1...6).map { "x\($0)" }
    spoiled.person.ownProperties += keys.map { name in
      let attribute = NSAttributeDescription()
      (attribute.name, attribute.attributeType, attribute.isOptional) = (
        name, .doubleAttributeType, true
      )
      return attribute
    }
    spoiled.person.indexes = [
      tree("byAge", ["age"]), tree("BYAGE", ["x1"]), tree("six", keys),
      tree("sum", [""]), tree("twice", ["x1", "x1"]), tree("five", Array(keys.prefix(5))),
    ]
    spoiled.person.indexes[3].elements[0].expressionText = "x1 + x2"
    #expect(
      spoiled.problems == [
        "repeatedIndex Person: the names of the indexes 'byAge' and 'BYAGE' differ only in case",
        "uselessIndex Person: the R-tree index 'six' contains 6 attributes, and R-trees contain at"
          + " most 5",
        "uselessIndex Person: the R-tree index 'sum' contains the expression 'x1 + x2', and R-trees"
          + " contain only attributes",
        "uselessIndex Person: the R-tree index 'twice' contains an attribute twice",
      ])
    #expect(spoiled.model.problems.allSatisfy { $0.severity == .warning })
  }

  @Test("An index without a name is an error, and a warning in a compiled model")
  func unnamedIndex() throws {
    let spoiled = try SpoiledModel()
    spoiled.team.indexes = [
      NSFetchIndexDescription(
        name: "",
        elements: [NSFetchIndexElementDescription(propertyName: "title", collationType: .binary)])
    ]
    #expect(spoiled.problems == ["unnamedIndex Team: an index has no name"])
    #expect(spoiled.model.problems.map(\.severity) == [.error])
    spoiled.model.isCompiled = true
    #expect(spoiled.model.problems.map(\.kind) == [.unnamedIndex])
    #expect(spoiled.model.problems.map(\.severity) == [.warning])
  }

  @Test("The expression for Spotlight can be parsed; in a compiled model, this is a warning")
  func spotlight() throws {
    let spoiled = try SpoiledModel()
    spoiled.team.spotlightDisplayText = "title"
    #expect(spoiled.problems == [])
    spoiled.team.spotlightDisplayText = "title +"
    #expect(spoiled.model.problems.map(\.kind) == [.unreadableText])
    #expect(spoiled.model.problems.map(\.severity) == [.error])
    #expect(
      spoiled.problems.first?.hasPrefix("unreadableText Team: the expression 'title +'") == true)
    spoiled.model.isCompiled = true
    #expect(spoiled.model.problems.map(\.severity) == [.warning])
  }

  @Test("A fetched property fetches an entity of the model")
  func fetchedProperties() throws {
    let spoiled = try SpoiledModel()
    let peers = NSFetchedPropertyDescription()
    peers.name = "peers"
    spoiled.team.ownProperties += [peers]
    #expect(
      spoiled.problems == [
        "invalidFetchedProperty Team.peers: the fetched property has no fetch request"
      ])
    var template = FetchRequestTemplate(name: "", entityName: "Teams")
    peers.fetchTemplate = template
    #expect(
      spoiled.problems == [
        "invalidFetchedProperty Team.peers: its fetch request fetches the unknown entity 'Teams'"
          + " (did you mean 'Team'?)"
      ])
    template.entityName = "Team"
    template.predicateFormat = "title == $FETCH_SOURCE.title"
    peers.fetchTemplate = template
    #expect(spoiled.problems == [])
    template.predicateFormat = "title =="
    peers.fetchTemplate = template
    #expect(spoiled.model.problems.map(\.kind) == [.unreadableText])
  }

  @Test("The model's fetch requests fetch its entities, with predicates that can be parsed")
  func fetchRequests() throws {
    let spoiled = try SpoiledModel()
    var good = FetchRequestTemplate(name: "good", entityName: "Person")
    good.predicateFormat = "name == $NAME"
    good.sortKeys = [.init(keyPath: "agee")]
    good.propertiesToFetch = ["nme", "team.title"]
    var bad = FetchRequestTemplate(name: "bad", entityName: "Person")
    bad.predicateFormat = "name == "
    spoiled.model.fetchRequestTemplates = [
      "good": good, "bad": bad, "lost": FetchRequestTemplate(name: "lost", entityName: "Place"),
    ]
    let problems = spoiled.problems
    #expect(problems.count == 4)
    #expect(problems.first?.hasPrefix("unreadableText the model: the predicate 'name == '") == true)
    #expect(
      problems.dropFirst() == [
        "unknownFetchKey the model: the fetch request 'good' uses a property that 'Person' does not have:"
          + " 'agee' (did you mean 'age'?)",
        "unknownFetchKey the model: the fetch request 'good' uses a property that 'Person' does not have:"
          + " 'nme' (did you mean 'name'?)",
        "invalidFetchRequest the model: the fetch request 'lost' fetches the unknown entity 'Place'",
      ])
  }
}
