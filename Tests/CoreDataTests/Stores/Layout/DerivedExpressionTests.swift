import CoreData
import CoreDataTestSupport
import FixtureSupport
import Testing

/// Derived attributes with many kinds of expressions, such as key paths of several steps, calculations, and functions
/// of these. Source of the allowed expressions: NSDerivedAttributeDescription.h (macOS 11.3): "the expression must
/// either be a keypath expression (including @operation components) or a function expression using one of the
/// predefined functions"; Apple's page for the class: to-one key paths, and functions of them.
@Suite(
  "Derived attributes that are expressions",
  .only(TestedStore.sqlKinds, "Apple: only SQLite stores support derived attributes"))
struct DerivedExpressionTests {
  @Test("Derived values follow every row they depend on, through functions and several steps")
  func kinds() throws {
    try SampleStack.withContext(model: DerivedSample.model()) { context in
      // The locker is inserted first, so the rows that it depends on are written after it.
      let locker = context.insert("Locker", ["number": 1])
      let captain = context.insert("Captain", ["name": "Ann", "score": 1.5, "age": 20])
      let (red, blue) = (
        context.insert("Team", ["name": "Red"]), context.insert("Team", ["name": "Bluebirds"])
      )
      let tag = context.insert("Tag", ["label": "t"])
      try context.save()
      #expect(locker.derivedText == "nil nil 0.0")
      #expect(captain.derivedText == "Ann 3.0 3.0 nil nil")
      #expect(red.derivedText == "nil" && tag.derivedText == "0.0")
      // The following saves change both ends of each relationship, and the values of the objects there.
      locker.setValue(captain, forKey: "owner")
      try context.save()
      #expect(locker.derivedText == "nil nil 0.0")
      captain.setValue(red, forKey: "team")
      try context.save()
      #expect(locker.derivedText == "Red RED 1.0")
      #expect(captain.derivedText == "Ann 3.0 3.0 RED 3.0")
      #expect(red.derivedText == "0.0")
      red.setValue("Reds", forKey: "name")
      try context.save()
      #expect(locker.derivedText == "Reds REDS 1.0")
      #expect(captain.derivedText == "Ann 3.0 3.0 REDS 4.0")
      let bob = context.insert("Player", ["name": "Bob", "age": 33, "score": 0.25, "team": red])
      tag.setValue(NSSet(array: [bob, captain]), forKey: "players")
      try context.save()
      #expect(locker.derivedText == "Reds REDS 2.0" && red.derivedText == "13.0")
      #expect(tag.derivedText == "3.75")
      bob.setValue(blue, forKey: "team")
      captain.setValue("Annabel", forKey: "name")
      captain.setValue(8.0, forKey: "score")
      try context.save()
      #expect(bob.derivedText == "Bob 3.0 0.5 BLUEBIRDS 9.0")
      #expect(captain.derivedText == "Annabel 7.0 16.0 REDS 4.0")
      #expect(locker.derivedText == "Reds REDS 1.0" && tag.derivedText == "10.25")
      #expect(red.derivedText == "0.0" && blue.derivedText == "0.0")
      captain.setValue(nil, forKey: "name")
      captain.setValue(nil, forKey: "score")
      locker.setValue(bob, forKey: "owner")
      tag.setValue(NSSet(object: bob), forKey: "players")
      try context.save()
      #expect(captain.derivedText == "nil nil nil REDS 4.0")
      #expect(locker.derivedText == "Bluebirds BLUEBIRDS 1.0" && tag.derivedText == "1.25")
      context.delete(blue)
      try context.save()
      #expect(bob.derivedText == "Bob 3.0 0.5 nil nil" && locker.derivedText == "nil nil 0.0")
      context.delete(bob)
      context.delete(captain)
      try context.save()
      #expect(red.derivedText == "nil" && tag.derivedText == "0.0")
      #expect(locker.derivedText == "nil nil 0.0")
    }
  }

  @Test("Operators inside lists use the value of each member, too")
  func nestedOperators() throws {
    let model = SampleStack.makeModel()
    DerivedSample.derive(model, "Team", "most", "max:({players.age.@sum, 1})")
    try SampleStack.withContext(model: model) { context in
      let team = context.insert("Team", ["name": "Red"])
      for _ in 0..<2 { context.insert("Player", ["age": 30, "team": team]) }
      try context.save()
      #expect(team["most"] as Int? == 60)
    }
  }

  /// Returns a model of trees. The size of a node is the number of nodes in the tree below and including it.
  private static func trees() -> NSManagedObjectModel {
    let model = SampleStack.makeModel()
    let node = NSEntityDescription()
    node.name = "Node"
    let parent = SampleStack.relationship("parent", to: node)
    let children = SampleStack.relationship("children", to: node, toMany: true)
    parent.inverseRelationship = children
    children.inverseRelationship = parent
    node.properties = [parent, children]
    model.entities.append(node)
    DerivedSample.derive(model, "Node", "size", "children.@sum.size + 1")
    return model
  }

  @Test("A value that is derived from the same value of other rows follows any number of steps")
  func depth() throws {
    try SampleStack.withContext(model: Self.trees()) { context in
      // The root is inserted first, so each value depends on one that is computed after it.
      var nodes = [context.insert("Node")]
      for _ in 1..<10 { nodes.append(context.insert("Node", ["parent": nodes[nodes.count - 1]])) }
      try context.save()
      #expect(nodes.map { $0["size"] as Int? ?? 0 } == Array((1...10).reversed()))
      nodes.append(context.insert("Node", ["parent": nodes[9]]))
      try context.save()
      #expect(nodes.map { $0["size"] as Int? ?? 0 } == Array((1...11).reversed()))
      context.delete(nodes.removeLast())
      try context.save()
      #expect(nodes.map { $0["size"] as Int? ?? 0 } == Array((1...10).reversed()))
    }
  }

  @Test("A save that makes a value depend on itself is an error, and changes nothing")
  func circle() throws {
    try SampleStack.withContext(model: Self.trees()) { context in
      let root = context.insert("Node")
      let leaf = context.insert("Node", ["parent": root])
      try context.save()
      root.setValue(leaf, forKey: "parent")
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSPersistentStoreOperationError)
      #expect(
        error?.localizedDescription.contains(": Node.size (key ") == true,
        "\(error.map { "\($0)" } ?? "")")
      context.rollback()
      #expect(root["size"] == 2 as Int? && leaf["size"] == 1 as Int?)
      leaf.setValue(nil, forKey: "parent")
      try context.save()
      #expect(root["size"] == 1 as Int?)
    }
  }

  @Test("Derived values can be used in predicates, sort descriptors and dictionaries")
  func fetched() throws {
    try SampleStack.withContext(model: DerivedSample.model()) { context in
      let team = context.insert("Team", ["name": "Red"])
      let players = [("Annabel", 1.0), ("Bo", 2.0), ("Cid", 3.0)].map {
        context.insert("Player", ["name": $0, "score": $1, "team": team])
      }
      context.insert("Locker", ["owner": players[1]])
      try context.save()
      context.reset()
      #expect(try context.all("Player", "letters < 4 AND twice > 4").map { $0["name"] } == ["Cid"])
      let sorted = try context.all("Player", sort: ["letters"]).map { $0["name"] as String? }
      #expect(sorted == ["Bo", "Cid", "Annabel"])
      #expect(try context.all("Locker", "shout == 'RED' AND owner.volume == 3").count == 1)
      let request = NSFetchRequest<NSDictionary>(entityName: "Locker")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["teamName", "fellows"]
      let row = try #require(try context.fetch(request).first)
      #expect(row["teamName"] as? String == "Red" && row["fellows"] as? Int == 3)
    }
  }
}
