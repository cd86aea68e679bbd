import CoreData
import Testing

/// Source: the documentation of `NSFetchRequestExpression`: in the predicate of a request, it is evaluated when the
/// request is executed.
@Suite("A fetch expression in a predicate")
struct FetchExpressionTests {
  /// Counts the fetches instead of executing them.
  private final class CountingContext: NSObject, FetchRunning {
    private let result: Any
    private(set) var count = 0

    init(_ result: Any) { self.result = result }

    func fetchedValue(of request: Any?, countOnly: Bool) throws -> Any {
      count += 1
      return result
    }

    var fetch: NSExpression {
      NSFetchRequestExpression.expression(
        forFetch: NSExpression(forConstantValue: nil),
        context: NSExpression(forConstantValue: self), countOnly: false)
    }
  }

  @Test func `A fetch on either side is executed once when the predicate is bound`() throws {
    let model = SampleStack.makeModel()
    let entity = try #require(model.entitiesByName["Player"])
    let age = NSExpression(forKeyPath: "age")
    func fetches(
      _ result: Any, _ modifier: NSComparisonPredicate.Modifier = .direct,
      _ sides: (NSExpression) -> (NSExpression, NSComparisonPredicate.Operator, NSExpression)
    ) throws -> Int {
      let context = CountingContext(result)
      let (left, type, right) = sides(context.fetch)
      let predicate = NSComparisonPredicate(
        leftExpression: left, rightExpression: right, modifier: modifier, type: type)
      _ = try CompiledPredicate(predicate, for: entity)
      return context.count
    }
    let list = [3, 4]
    let counts = [
      try fetches(3) { ($0, .equalTo, age) },
      try fetches(3) { (age, .equalTo, $0) },
      try fetches(3) { ($0, .greaterThan, NSExpression(forConstantValue: 1)) },
      try fetches(list) { ($0, .contains, age) },
      try fetches(list) { (age, .in, $0) },
      try fetches(list) { (age, .between, $0) },
      try fetches(list, .any) { ($0, .equalTo, age) },
    ]
    #expect(counts == [1, 1, 1, 1, 1, 1, 1])
  }

  @Test(
    .only([.inMemory, .binary, .xml, .ownAtomic], "these stores evaluate conditions on objects"))
  func `A fetch is not executed again for each object that is evaluated`() throws {
    let model = SampleStack.makeModel()
    let scores = SampleStack.attribute("scores", .transformableAttributeType)
    scores.isOptional = true
    let player = try #require(model.entitiesByName["Player"])
    player.properties.append(scores)
    try SampleStack.withContext(model: model) { context in
      for score in 1...3 { context.insert("Player", ["name": "\(score)", "scores": [score]]) }
      try context.save()
      let counter = CountingContext(3)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.predicate = NSComparisonPredicate(
        leftExpression: try NSExpression(validating: "scores[0]"), rightExpression: counter.fetch,
        modifier: .direct, type: .equalTo)
      #expect(try context.fetch(request).map { $0["name"] as String? } == ["3"])
      #expect(counter.count == 1)
    }
  }
}
