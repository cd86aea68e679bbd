import CoreData
import FixtureSupport
import Testing

// Apple's page on NSManagedObject sets no limit to the length of a chain of objects. A thread may have only 512 KB of
// stack, so no operation may recurse once per object of a chain.

/// Makes a model of one entity with every kind of relationship to itself, some of them with the delete rule Cascade.
private func makeModel() -> NSManagedObjectModel {
  let node = NSEntityDescription()
  node.name = "Node"
  node.properties = [SampleStack.attribute("number", .integer64AttributeType)]
  func pair(
    _ name: String, _ inverse: String, toMany: Bool = false, inverseToMany: Bool = false,
    rule: NSDeleteRule = .nullifyDeleteRule, isOrdered: Bool = false
  ) {
    let one = SampleStack.relationship(
      name, to: node, toMany: toMany, rule: rule, isOrdered: isOrdered)
    let other = SampleStack.relationship(inverse, to: node, toMany: inverseToMany)
    one.inverseRelationship = other
    other.inverseRelationship = one
    node.properties += [one, other]
  }
  pair("next", "previous", rule: .cascadeDeleteRule)
  pair("kids", "parent", toMany: true, rule: .cascadeDeleteRule)
  pair("parts", "whole", toMany: true, isOrdered: true)
  pair("friends", "friendOf", toMany: true, inverseToMany: true)
  node.properties.append(SampleStack.relationship("pointer", to: node))
  node.properties.append(SampleStack.relationship("pointers", to: node, toMany: true))
  let model = NSManagedObjectModel()
  model.entities = [node]
  return model
}

/// Makes a chain of objects, each linked to the next one, and returns the first and the last.
private func chain(
  _ model: NSManagedObjectModel, in context: NSManagedObjectContext?, _ count: Int,
  _ link: (_ from: NSManagedObject, _ to: NSManagedObject) -> Void
) throws -> (first: NSManagedObject, last: NSManagedObject) {
  let entity = try #require(model.entitiesByName["Node"])
  let type = NSManagedObject.self
  let first = type.init(entity: entity, insertInto: context)
  var last = first
  for number in 1..<count {
    let node = type.init(entity: entity, insertInto: context)
    node.setValue(number, forKey: "number")
    link(last, node)
    last = node
  }
  return (first, last)
}

@Suite("Deep object graphs outside a context")
struct EndingGraphTests {
  /// Each way in which an object without a context can refer to another object that does not refer back.
  static let links: [String: @Sendable (NSManagedObject, NSManagedObject) -> Void] = [
    "to-one": { $0.setValue($1, forKey: "pointer") },
    "to-many": { $0.setValue(NSSet(object: $1), forKey: "pointers") },
    "to-one and to-many": {
      $0.setValue($1, forKey: "pointer")
      $0.setValue(NSSet(object: $1), forKey: "pointers")
    },
    "associated": { objc_setAssociatedObject($0, associationKey, $1, .OBJC_ASSOCIATION_RETAIN) },
  ]

  @Test(arguments: links.keys.sorted())
  func `The head of a long chain of objects is released without recursion`(kind: String) throws {
    let link = try #require(Self.links[kind])
    // Even 15,000 objects overflow the small stack if each of them needs 18 bytes.
    let count = kind == "to-one" ? 100_000 : WholeRun.steps(15_000, whole: 100_000)
    let model = makeModel()
    weak var last: NSManagedObject?
    try onSmallStack {
      var ends: (first: NSManagedObject, last: NSManagedObject)? = try chain(
        model, in: nil, count, link)
      last = ends?.last
      #expect(last?.value(forKey: "number") as? Int == count - 1)
      ends = nil
      #expect(ends == nil && last == nil)
    }
  }

  @Test func `A tree with many branches and shared leaves is released completely`() throws {
    let model = makeModel()
    let entity = try #require(model.entitiesByName["Node"])
    weak var leaf: NSManagedObject?
    try onSmallStack {
      let shared = NSManagedObject(entity: entity, insertInto: nil)
      leaf = shared
      var level = [NSManagedObject(entity: entity, insertInto: nil)]
      var root: NSManagedObject? = level[0]
      for _ in 0..<9 {
        level = level.flatMap { parent in
          let kids = (0..<3).map { _ in NSManagedObject(entity: entity, insertInto: nil) }
          parent.setValue(NSSet(array: kids + [shared]), forKey: "pointers")
          parent.setValue(shared, forKey: "pointer")
          return kids
        }
      }
      level = []
      #expect(root != nil)
      root = nil
    }
    #expect(leaf == nil)
  }
}

nonisolated(unsafe) private let associationKey = UnsafeRawPointer(
  UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))

@Suite("Deep object graphs", .onEveryStore)
struct DeepGraphTests {
  /// A chain that overflows a small stack if each object needs 220 bytes of it.
  private static let length = 1_200
  /// The length of a chain that is deleted, which overflows a small stack if each object needs 330 bytes of it.
  private static let deletedLength = WholeRun.steps(800, whole: 1_200)

  /// A link for each relationship. Some links are set on the earlier object of the chain, some on the later one.
  static let links: [String: @Sendable (NSManagedObject, NSManagedObject) -> Void] = [
    "next": { $0.setValue($1, forKey: "next") },
    "kids": { $1.setValue($0, forKey: "parent") },
    "parts": { $1.setValue($0, forKey: "whole") },
    "friends": { $0.mutableSetValue(forKey: "friends").add($1) },
    "pointer": { $0.setValue($1, forKey: "pointer") },
  ]

  private func follow(_ first: NSManagedObject, _ key: String) -> [NSManagedObject] {
    var nodes = [first]
    while let last = nodes.last {
      let value = last.value(forKey: key)
      let next =
        value as? NSManagedObject ?? (value as? NSSet)?.anyObject() as? NSManagedObject
        ?? (value as? NSOrderedSet)?.firstObject as? NSManagedObject
      guard let next else { break }
      nodes.append(next)
    }
    return nodes
  }

  @Test(arguments: links.keys.sorted())
  func `A chain is saved, followed, refreshed, reset and released without recursion`(
    key: String
  ) throws {
    let number = try #require(Self.links.keys.sorted().firstIndex(of: key))
    guard WholeRun.includes(number) else { return }
    let link = try #require(Self.links[key])
    let stack = try SampleStack(model: makeModel())
    try onSmallStack {
      try stack.context.performAndWait {
        let context = stack.context
        let first = try chain(stack.model, in: context, Self.length, link).first
        try context.save()
        #expect(follow(first, key).count == Self.length)
        context.refreshAllObjects()
        #expect(follow(first, key).count == Self.length)
        first.setValue(-1, forKey: "number")
        context.rollback()
        context.refresh(first, mergeChanges: true)
        #expect("\(first)".contains("Node"))
        if key == "next" {
          let path = String(repeating: "next.", count: Self.length - 1) + "number"
          #expect(first.value(forKeyPath: path) as? Int == Self.length - 1)
          first.setValue(7, forKeyPath: path)
          try first.validateValue(8, forKeyPath: path)
          #expect(first.value(forKeyPath: path) as? Int == 7)
          context.rollback()
        }
        context.reset()
      }
      // Deallocates a context with the whole chain registered, and then an object that outlives its context.
      var other: NSManagedObjectContext? = stack.newContext()
      var kept: NSManagedObject?
      try other?.performAndWait {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Node")
        request.predicate = NSPredicate(format: "number == 0 OR number == nil")
        let first = try #require(try other?.fetch(request).first)
        #expect(follow(first, key).count == Self.length)
        kept = first
      }
      other = nil
      kept = nil
      #expect(kept == nil)
    }
  }

  @Test(arguments: ["next", "kids"])
  func `Deleting the first object deletes the chain; undo, redo and save do not recurse`(
    key: String
  ) throws {
    // By default, each kind of store has one of the two relationships.
    let kind = TestedStore.everyKind.firstIndex(of: StoreScope.current.kind) ?? 0
    guard WholeRun.isChosen || kind.isMultiple(of: 2) == (key == "next") else { return }
    let link = try #require(Self.links[key])
    let stack = try SampleStack(model: makeModel())
    try onSmallStack {
      try stack.context.performAndWait {
        let context = stack.context
        context.undoManager = UndoManager()
        let first = try chain(stack.model, in: context, Self.deletedLength, link).first
        try context.save()
        context.undoManager?.removeAllActions()
        context.delete(first)
        context.processPendingChanges()
        #expect(context.deletedObjects.count == Self.deletedLength)
        context.undo()
        #expect(context.deletedObjects.isEmpty)
        #expect(follow(first, key).count == Self.deletedLength)
        context.redo()
        #expect(context.deletedObjects.count == Self.deletedLength)
        try context.save()
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Node")) == 0)
        context.undo()
        #expect(context.insertedObjects.count == Self.deletedLength)
        try context.save()
        let count = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Node"))
        #expect(count == Self.deletedLength)
      }
    }
  }

  @Test func `A chain is saved through a child context and merged into another without recursion`()
    throws
  {
    guard WholeRun.includes(0) else { return }
    let stack = try SampleStack(model: makeModel())
    let other = stack.newContext()
    try onSmallStack {
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = stack.context
      let saved = Recorder(.NSManagedObjectContextDidSave, of: stack.context)
      let id = try child.performAndWait {
        let ends = try chain(stack.model, in: child, Self.length) {
          $0.setValue($1, forKey: "next")
        }
        try child.save()
        #expect(follow(ends.first, "next").count == Self.length)
        return ends.first.objectID
      }
      try stack.context.performAndWait {
        let first = try #require(
          stack.context.insertedObjects.first { $0.value(forKey: "previous") == nil })
        #expect(follow(first, "next").count == Self.length)
        try stack.context.save()
        let savedID = first.objectID
        let merged = other.performAndWait {
          for note in saved.notifications { other.mergeChanges(fromContextDidSave: note) }
          let nodes = follow(other.object(with: savedID), "next")
          #expect(nodes.count == Self.length)
          return nodes
        }
        stack.context.delete(first)
        try stack.context.save()
        try other.performAndWait {
          for note in saved.notifications.dropFirst() {
            other.mergeChanges(fromContextDidSave: note)
          }
          #expect(merged.allSatisfy { $0.isDeleted || $0.managedObjectContext == nil })
          let left = try other.all("Node")
          #expect(left.isEmpty)
        }
      }
      child.performAndWait {
        #expect(id.entity.name == "Node")
        child.reset()
      }
    }
  }
}

@Suite(
  "Deep object graphs in batches",
  .only(TestedStore.sqlKinds, "Apple: only SQLite has batch requests"))
struct DeepBatchTests {
  @Test(arguments: ["next", "kids"])
  func `A batch deletion cascades along a chain without recursion`(key: String) throws {
    let link = try #require(DeepGraphTests.links[key])
    let stack = try SampleStack(model: makeModel())
    try onSmallStack {
      try stack.context.performAndWait {
        let context = stack.context
        _ = try chain(stack.model, in: context, 2_000, link)
        try context.save()
        #expect(try context.batchDelete("Node", "previous == nil AND parent == nil").count == 2_000)
      }
    }
  }
}
