import CoreData
import Testing

// Apple's pages set no limit on the nesting of expressions or the length of key paths. SQLite joins at most 64 tables
// in a query (its page "Implementation Limits For SQLite").

@Suite("Deep requests")
struct DeepRequestTests {
  private static let depth = 5_000

  private static func makeModel() -> NSManagedObjectModel {
    let node = NSEntityDescription()
    node.name = "Node"
    let next = SampleStack.relationship("next", to: node)
    let previous = SampleStack.relationship("previous", to: node)
    next.inverseRelationship = previous
    previous.inverseRelationship = next
    node.properties = [SampleStack.attribute("number", .integer64AttributeType), next, previous]
    let model = NSManagedObjectModel()
    model.entities = [node]
    return model
  }

  /// A kind of expression that can be nested.
  enum Shape: CaseIterable {
    case sums, lists, unions, choices, subqueries, messages, constants

    func around(_ tree: NSExpression) -> NSExpression {
      let one = NSExpression(forConstantValue: 1)
      return switch self {
      case .sums: NSExpression(forFunction: "add:to:", arguments: [tree, one])
      case .lists: NSExpression(forAggregate: [tree])
      case .unions: NSExpression(forUnionSet: tree, with: one)
      case .choices:
        NSExpression(
          forConditional: NSPredicate(value: true), trueExpression: tree, falseExpression: one)
      case .subqueries:
        NSExpression(
          forSubquery: tree, usingIteratorVariable: "x", predicate: NSPredicate(value: true))
      case .messages: NSExpression(forFunction: tree, selectorName: "length", arguments: [])
      case .constants: NSExpression(forConstantValue: tree)
      }
    }

    func tree(_ depth: Int) -> NSExpression {
      (0..<depth).reduce(NSExpression(forKeyPath: "number")) { tree, _ in around(tree) }
    }
  }

  private static func column(_ expression: NSExpression) -> NSExpressionDescription {
    let column = NSExpressionDescription()
    column.name = "deep"
    column.expression = expression
    column.expressionResultType = .integer64AttributeType
    return column
  }

  @Test(
    .only(TestedStore.sqlKinds, "batch requests need SQL"),
    arguments: Shape.allCases)
  func
    `An expression that nests too deeply is refused as a column, a group, a value and a condition`(
      shape: Shape
    ) throws
  {
    let stack = try SampleStack(model: Self.makeModel())
    try onSmallStack {
      try stack.context.performAndWait {
        let context = stack.context
        context.insert("Node", ["number": 1])
        try context.save()
        let deep = shape.tree(Self.depth)
        let request = NSFetchRequest<NSDictionary>(entityName: "Node")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = [Self.column(deep)]
        #expect(throws: (any Error).self) { try context.fetch(request) }
        #expect(throws: (any Error).self) { try context.count(for: request) }
        request.propertiesToFetch = ["number"]
        request.propertiesToGroupBy = [Self.column(deep)]
        #expect(throws: (any Error).self) { try context.fetch(request) }
        request.propertiesToGroupBy = nil
        request.predicate = NSComparisonPredicate(
          leftExpression: deep, rightExpression: NSExpression(forConstantValue: 1),
          modifier: .direct, type: .equalTo)
        #expect(throws: InvalidPredicateError.self) { try context.fetch(request) }
        let update = NSBatchUpdateRequest(entityName: "Node")
        update.propertiesToUpdate = ["number": deep]
        #expect(throws: (any Error).self) { try context.execute(update) }
      }
    }
  }

  private static func path(_ length: Int) -> String {
    Array(repeating: "next", count: length).joined(separator: ".") + ".number"
  }

  /// Saves a node that refers to itself, and one that refers to none.
  private static func withNodes(_ body: (NSManagedObjectContext) throws -> Void) throws {
    try SampleStack.withContext(model: makeModel()) { context in
      let node = context.insert("Node", ["number": 1])
      node.setValue(node, forKey: "next")
      context.insert("Node", ["number": 1])
      try context.save()
      context.reset()
      try body(context)
    }
  }

  @Test(.only(TestedStore.allCases, "the limit is on SQLite's tables"))
  func `A key path over as many relationships as SQLite joins can be used in a fetch`() throws {
    try Self.withNodes { context in
      let found = try context.all("Node", "%K == 1", [Self.path(63)])
      #expect(found.count == 1)
    }
  }

  @Test(
    .only([.inMemory, .binary, .xml], "these stores have all objects in memory"),
    arguments: [64, 900])
  func `A longer key path can be evaluated by stores in memory`(length: Int) throws {
    try Self.withNodes { context in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Node")
      request.predicate = try NSPredicate(validating: "%K == 1", arguments: [Self.path(length)])
      #expect(try context.fetch(request).count == 1)
      #expect(try context.count(for: request) == 1)
      request.predicate = try NSPredicate(
        validating: "NOT %K == 2 OR number == 1", arguments: [Self.path(length)])
      request.fetchLimit = 1
      #expect(try context.fetch(request).count == 1)
      let rows = NSFetchRequest<NSDictionary>(entityName: "Node")
      rows.predicate = request.predicate
      rows.resultType = .dictionaryResultType
      rows.propertiesToFetch = ["number"]
      #expect(try context.fetch(rows).count == 2)
      request.fetchLimit = 0
      request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
      let results = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      try results.performFetch()
      #expect(results.fetchedObjects?.count == 2)
    }
  }

  @Test(.only(TestedStore.sqlKinds, "the limit is SQLite's"), arguments: [64, 900])
  func `A longer key path is refused by a SQLite store, with an error that states the limit`(
    length: Int
  ) throws {
    try Self.withNodes { context in
      do {
        _ = try context.all("Node", "%K == 1", [Self.path(length)])
        Issue.record("no error was thrown")
      } catch {
        let error = error as NSError
        #expect(error.code == NSCoreDataError)
        #expect(error.localizedDescription.contains("at most 64 tables"))
        #expect(!error.localizedDescription.contains("/dev/null"))
      }
    }
  }

  @Test(
    .only(TestedStore.allCases, "a custom store receives requests unchanged"),
    arguments: [1_001, 100_000])
  func `A key path over more than 1,000 relationships is refused`(length: Int) throws {
    let stack = try SampleStack(model: Self.makeModel())
    try onSmallStack {
      stack.context.performAndWait {
        do {
          _ = try stack.context.all("Node", "%K == 1", [Self.path(length)])
          Issue.record("no error was thrown")
        } catch {
          #expect((error as NSError).localizedDescription.contains("at most 1000 relationships"))
        }
      }
    }
  }
}
