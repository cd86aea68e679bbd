import ObjectModel
import Testing

@testable import ModelDiagram

@Suite struct DescriptionTests {
  @Test func `Cards have the entities' own properties, attributes first`() {
    let diagram = EntityDiagram(SmallModel.make(), title: "Library")
    #expect(diagram.cards.map(\.name) == ["Author", "Work", "Book", "Publisher"])
    #expect(
      diagram.cards[0].rows.map { "\($0.name): \($0.type)" } == [
        "name: String", "portrait: Binary?", "address: Address?", "street: String?",
        "town: String?", "books: Book 0..*", "friends: Author 0,2..5",
      ])
    #expect(
      diagram.cards[2].rows.map { "\($0.name): \($0.type)" } == [
        "pages: Integer 16", "publisher: Publisher 0..1", "author: Author 1", "similar: Work 0..*",
      ])
  }

  @Test func `Special features of a property are marked`() {
    let diagram = EntityDiagram(SmallModel.make(), title: "Library")
    let marks = diagram.cards.flatMap(\.rows).filter { !$0.marks.isEmpty }
    #expect(
      marks.map { "\($0.name): \($0.marks.map(\.rawValue).joined(separator: ", "))" } == [
        "portrait: external", "books: ordered, cascade", "plainTitle: derived",
        "publisher: no action", "author: deny", "similar: fetched", "size: transient",
      ])
    #expect(diagram.cards.flatMap(\.rows).filter(\.isKey).map(\.name) == ["name"])
    #expect(diagram.cards[0].rows.map(\.depth) == [0, 0, 0, 1, 1, 0, 0])
  }

  @Test func `A heading contains the class if it differs from the entity`() {
    let cards = EntityDiagram(SmallModel.make(), title: "Library").cards
    #expect(cards.map(\.className) == ["Library.Writer", nil, nil, nil])
    #expect(cards.map(\.isAbstract) == [false, true, false, false])
    #expect(cards.map(\.family) == [nil, 0, 0, nil])
  }

  /// Shows that the lines of a large entity end at the right rows. The limit only ends a run that hangs, and does not
  /// show that the rows are counted once instead of for each relationship.
  @Test(.timeLimit(.minutes(60)))
  func `An entity of 20,000 relationships and 10,000 constraints has a diagram`() {
    let entity = NSEntityDescription()
    entity.name = "Node"
    let count = 10_000
    let ends = (0..<count).flatMap { number -> [NSPropertyDescription] in
      let (there, back) = (NSRelationshipDescription(), NSRelationshipDescription())
      (there.name, back.name) = ("r\(number)", "s\(number)")
      for relationship in [there, back] {
        relationship.destinationEntity = entity
        relationship.maxCount = 1
      }
      there.inverseRelationship = back
      back.inverseRelationship = there
      return [there, back]
    }
    let keys = (0..<count).map { number -> NSPropertyDescription in
      let key = NSAttributeDescription()
      key.name = "k\(number)"
      key.attributeType = .stringAttributeType
      return key
    }
    entity.properties = ends + keys
    entity.uniquenessConstraints = keys.map { [$0.name] }
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let diagram = EntityDiagram(model, title: "Nodes")
    #expect(diagram.relations.count == count)
    #expect(diagram.cards[0].rows.count { $0.isKey } == count)
    for (number, relation) in diagram.relations.enumerated() {
      // Attributes come first, then the relationships in their order.
      guard relation.source.row == count + 2 * number,
        relation.target.row == count + 2 * number + 1
      else {
        Issue.record("the line \(number) ends at other rows")
        break
      }
    }
  }

  @Test func `The row of a key lists each constraint that contains it once`() {
    let entity = NSEntityDescription()
    entity.name = "Person"
    entity.properties = ["a", "b"].map { name in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = .stringAttributeType
      return attribute
    }
    entity.uniquenessConstraints = [["a"], ["b", "a"], ["b"]]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let rows = EntityDiagram(model, title: "").cards[0].rows
    #expect(rows[0].explanation.hasSuffix("unique, unique together: b + a"))
    #expect(rows[1].explanation.hasSuffix("unique together: b + a, unique"))
  }

  @Test func `A pair of inverses is one line`() {
    let diagram = EntityDiagram(SmallModel.make(), title: "Library")
    #expect(
      diagram.relations.map { $0.explanation(diagram.cards) } == [
        "Author.books: 0..* Book, ordered, delete rule Cascade; "
          + "Book.author: 1 Author, delete rule Deny",
        "Author.friends: 0,2..5 Author, delete rule Nullify, its own inverse",
        "Book.publisher: 0..1 Publisher, delete rule No Action, no inverse",
      ])
    #expect(
      diagram.relations.map(\.label) == [
        "books (ordered, cascade) / author (deny)", "friends (0,2..5)", "publisher (no action)",
      ])
    #expect(diagram.relations[0].source.row == 5)
    #expect(diagram.relations[0].target.row == 2)
    #expect(diagram.inheritances == [InheritanceArrow(child: 2, parent: 1)])
  }

  @Test func `Rows have explanations`() {
    let rows = EntityDiagram(SmallModel.make(), title: "Library").cards.flatMap(\.rows)
    let explanations = Dictionary(
      rows.map { ($0.name, $0.explanation) }, uniquingKeysWith: { first, _ in first })
    #expect(explanations["name"] == "name: String, required, unique")
    #expect(explanations["pages"] == "pages: Integer 16, required, default 0")
    #expect(
      explanations["plainTitle"]
        == "plainTitle: String, optional, derived, computed as canonical:(title)")
    #expect(
      explanations["books"] == "books: 0..* Book, ordered, delete rule Cascade, inverse Book.author"
    )
  }

  @Test func `Cardinalities have the notation of diagrams`() {
    func text(_ minimum: Int, _ maximum: Int?, allowsNone: Bool = false) -> String {
      RelationLine.Cardinality(minimum: minimum, maximum: maximum, allowsNone: allowsNone).text
    }
    #expect(text(0, 1) == "0..1")
    #expect(text(1, 1) == "1")
    #expect(text(0, nil) == "0..*")
    #expect(text(1, nil) == "1..*")
    #expect(text(3, 10) == "3..10")
    #expect(text(4, 4, allowsNone: true) == "0,4")
  }

  @Test func `A contradictory model has a diagram too`() {
    let one = NSEntityDescription()
    one.name = "One"
    let other = NSEntityDescription()
    let away = NSEntityDescription()
    away.name = "Away"
    one.subentities = [other]
    other.subentities = [one]
    let lost = NSRelationshipDescription()
    lost.name = "lost"
    let out = NSRelationshipDescription()
    out.name = "out"
    out.destinationEntity = away
    let loop = NSCompositeAttributeDescription()
    loop.name = "loop"
    loop.elements = [loop]
    one.ownProperties = [lost, out, loop]
    let model = NSManagedObjectModel()
    model.entities = [one, other]
    let diagram = EntityDiagram(model, title: "")
    #expect(diagram.cards.map(\.name) == ["One", "(no name)"])
    #expect(diagram.relations.isEmpty)
    #expect(diagram.inheritances.count == 2)
    #expect(diagram.cards[0].rows.suffix(2).map(\.type) == ["(nothing) 0..*", "Away 0..*"])
    let layout = DiagramLayout.builtIn(diagram)
    #expect(LayoutCheck(diagram: diagram, layout: layout).violations.isEmpty)
  }

  @Test func `An inverse is drawn where it is declared`() {
    let parent = NSEntityDescription()
    parent.name = "Parent"
    let child = NSEntityDescription()
    child.name = "Child"
    parent.subentities = [child]
    let note = NSEntityDescription()
    note.name = "Note"
    let about = NSRelationshipDescription()
    about.name = "about"
    about.maxCount = 1
    let notes = NSRelationshipDescription()
    notes.name = "notes"
    about.destinationEntity = child
    notes.destinationEntity = note
    about.inverseRelationship = notes
    notes.inverseRelationship = about
    note.ownProperties = [about]
    parent.ownProperties = [notes]
    let model = NSManagedObjectModel()
    model.entities = [note, child, parent]
    let relations = EntityDiagram(model, title: "").relations
    #expect(relations.count == 1)
    #expect(relations.first?.target.card == 2)
  }
}
