import CoreData
import FixtureSupport
import Testing

@testable import CoreData

/// Predicates with very many conditions, which programs make from lists.
@Suite("Predicates with very many conditions", .onEveryStore)
struct ManyConditionsTests {
  private func withNumbers(_ body: (NSManagedObjectContext) throws -> Void) throws {
    try SampleStack.withContext { (context) throws in
      for number in 0..<20 {
        let player = context.insert("Player")
        player.setValue("n\(number)", forKey: "name")
        player.setValue(number, forKey: "age")
      }
      try context.save()
      try body(context)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      // Unsaved objects are evaluated in memory.
      for player in try context.fetch(request) {
        player.setValue(player.value(forKey: "name"), forKey: "name")
      }
      try body(context)
    }
  }

  private func ages(_ predicate: NSPredicate, _ context: NSManagedObjectContext) throws -> [Int] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    request.predicate = predicate
    return try context.fetch(request).compactMap { $0.value(forKey: "age") as? Int }.sorted()
  }

  @Test(arguments: [1_000, 4_000])
  func `find the right objects with equalities in OR and inequalities in AND`(count: Int) throws {
    // By default, every third kind of store has the larger number, and the others have the smaller one.
    guard WholeRun.isChosen || WholeRun.includes(0) == (count > 1_000) else { return }
    func comparisons(_ type: Predicates.NSComparisonPredicate.Operator) -> [NSPredicate] {
      (0..<count).map {
        Predicates.NSComparisonPredicate(
          leftExpression: NSExpression(forKeyPath: "age"),
          rightExpression: NSExpression(forConstantValue: $0 + 5), modifier: .direct, type: type)
      }
    }
    let any = NSCompoundPredicate(orPredicateWithSubpredicates: comparisons(.equalTo))
    let none = NSCompoundPredicate(andPredicateWithSubpredicates: comparisons(.notEqualTo))
    try withNumbers { (context) throws in
      #expect(try ages(any, context) == Array(5..<20))
      #expect(try ages(none, context) == Array(0..<5))
      #expect(
        try ages(NSCompoundPredicate(notPredicateWithSubpredicate: any), context) == Array(0..<5))
    }
  }

  @Test(arguments: [1_100])
  func `find the right objects with conditions that no list can replace`(count: Int) throws {
    let parts = try (0..<count).map { number in
      try NSPredicate(
        validating: "age == %d AND name BEGINSWITH %@", arguments: [number + 5, "n\(number + 5)"])
    }
    try withNumbers { (context) throws in
      let any = NSCompoundPredicate(orPredicateWithSubpredicates: parts)
      #expect(try ages(any, context) == Array(5..<20))
      let reversed = parts.map { NSCompoundPredicate(notPredicateWithSubpredicate: $0) }
      let none = NSCompoundPredicate(andPredicateWithSubpredicates: reversed)
      #expect(try ages(none, context) == Array(0..<5))
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.predicate = any
      let counted = try context.count(for: request)
      #expect(counted == 15)
    }
  }

  private static let memberFormats = [
    "ANY tags.label == %@", "ANY tags.label BEGINSWITH[c] %@", "ANY tags.label IN %@",
  ]

  @Test(arguments: memberFormats)
  func `find the right objects with conditions on members joined by OR`(format: String) throws {
    guard WholeRun.includes(Self.memberFormats.firstIndex(of: format) ?? 0) else { return }
    try SampleStack.withContext { (context) throws in
      for number in 0..<20 {
        let tags = [number, number + 100].map { context.insert("Tag", ["label": "t\($0)."]) }
        context.insert(
          "Player", ["name": "n\(number)", "age": number, "tags": NSSet(array: tags)])
      }
      context.insert("Player", ["age": 77])
      try context.save()
      let parts = try (0..<1_200).map { number -> NSPredicate in
        let text = "t\(number + 5)."
        return try NSPredicate(
          validating: format, arguments: [format.contains("IN %@") ? [text, "no"] : text])
      }
      let any = NSCompoundPredicate(
        orPredicateWithSubpredicates: parts + [try NSPredicate(validating: "age == 3")])
      let none = NSCompoundPredicate(notPredicateWithSubpredicate: any)
      // Every player has a tag with a number of at least 100.
      #expect(try ages(any, context) == Array(0..<20))
      #expect(try ages(none, context) == [77])
      let few = NSCompoundPredicate(orPredicateWithSubpredicates: Array(parts.prefix(40)))
      #expect(try ages(few, context) == Array(5..<20))
      for player in try context.all("Player") { player.setValue(player["name"], forKey: "name") }
      #expect(try ages(few, context) == Array(5..<20))
    }
  }

  @Test func `find the right objects with conditions joined in nested pairs`() throws {
    try withNumbers { (context) throws in
      var predicate = try NSPredicate(validating: "age == 3")
      for number in 0..<1_200 {
        let next = try NSPredicate(validating: "age == %d", arguments: [number + 10])
        predicate = NSCompoundPredicate(orPredicateWithSubpredicates: [predicate, next])
      }
      #expect(try ages(predicate, context) == [3] + Array(10..<20))
    }
  }

  private static let signs = ["IN", "IN[c]", "IN[cd]"]

  @Test(arguments: signs)
  func `find the right objects with a list of 10,000 strings`(sign: String) throws {
    guard WholeRun.includes(Self.signs.firstIndex(of: sign) ?? 0) else { return }
    let texts = (0..<10_000).map { sign == "IN" ? "n\($0 + 5)" : "N\($0 + 5)" }
    let predicate = try NSPredicate(validating: "name \(sign) %@", arguments: [texts])
    try withNumbers { (context) throws in
      #expect(try ages(predicate, context) == Array(5..<20))
      let none = NSCompoundPredicate(notPredicateWithSubpredicate: predicate)
      #expect(try ages(none, context) == Array(0..<5))
    }
  }

  @Test func `treat a nil name as unknown, as with a short list`() throws {
    try SampleStack.withContext { (context) throws in
      let player = context.insert("Player")
      player.setValue(1, forKey: "age")
      try context.save()
      let texts = (0..<100).map { "n\($0)" }
      for format in ["name IN[c] %@", "NOT name IN[c] %@"] {
        #expect(try ages(NSPredicate(validating: format, arguments: [texts]), context).isEmpty)
      }
      let withNil: [Any] = texts + [NSNull()]
      #expect(
        try ages(NSPredicate(validating: "name IN[c] %@", arguments: [withNil]), context) == [1])
    }
  }

  @Test func `are parsed, printed, compared and bound`() throws {
    let text = (0..<4_000).map { "age == \($0 + 5)" }.joined(separator: " OR ")
    let predicate = try NSPredicate(validating: text)
    #expect(predicate.description == text)
    #expect(try predicate == NSPredicate(validating: text))
    try withNumbers { (context) throws in
      let found = try ages(predicate, context)
      #expect(found == Array(5..<20))
    }
  }
}
