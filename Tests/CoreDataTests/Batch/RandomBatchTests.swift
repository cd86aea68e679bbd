import CoreData
import FixtureSupport
import Testing

/// Executes random batch requests on players and captains, and the same changes on an array.
@Suite(
  "Random batch requests",
  .only(TestedStore.sqlKinds, "Apple: only SQLite has batch requests"))
struct RandomBatchTests {
  /// A row of the naive table.
  private struct Row: Equatable {
    var key: Int
    var isCaptain: Bool
    var name: String?
    var number: Int?
    var age: Int?
    var score: Double?
  }

  private struct Table {
    var rows: [Row] = []

    func clashes(_ row: Row) -> [Int] {
      rows.indices.filter { index in
        let other = rows[index]
        let isSameNumber = row.number != nil && other.number == row.number
        let isSamePair =
          row.name != nil && row.age != nil && other.name == row.name && other.age == row.age
        return other.key != row.key && (isSameNumber || isSamePair)
      }
    }

    /// Whether no row violates a constraint.
    var isUnique: Bool { rows.allSatisfy { clashes($0).isEmpty } }
  }

  private struct Failure: Error {}

  @Test("have the same effect on a store and on a plain table")
  func random() throws {
    var random = SeededGenerator("RandomBatchTests")
    let policies: [NSMergePolicy] = [
      .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
    ]
    for round in 0..<4 {
      let stack = try SampleStack(model: SampleStack.makeUniqueModel())
      var table = Table()
      try stack.context.performAndWait {
        let context = stack.context
        for step in 0..<WholeRun.steps(20, whole: 60) {
          let policy = policies[Int.random(in: 0..<5, using: &random)]
          context.mergePolicy = policy
          var after = table
          var expected: [Int]?
          var isDone: [NSManagedObjectID]?
          let text: String
          switch Int.random(in: 0..<10, using: &random) {
          case 0..<6:
            let isCaptain = Int.random(in: 0..<3, using: &random) == 0
            let rows = (0..<Int.random(in: 0...40, using: &random)).map { _ in
              randomRow(&random)
            }
            text = "\(policy.mergeType) insert \(isCaptain) \(rows)"
            expected = insert(rows, isCaptain, policy, into: &after)
            let request = request(
              rows, isCaptain ? "Captain" : "Player",
              usesHandler: Bool.random(using: &random))
            isDone = try unlessNotUnique { try context.batchInsert(request) }
          case 6..<8:
            let low = Int.random(in: 0...20, using: &random)
            let format = "number >= \(low)"
            let shift = Int.random(in: 1...3, using: &random)
            text = "update \(format) by \(shift)"
            expected = []
            for index in after.rows.indices
            where after.rows[index].number.map({ $0 >= low }) == true {
              let number = after.rows[index].number ?? 0
              after.rows[index].number = number + shift
              after.rows[index].score = Double(number) * 0.5
              expected?.append(after.rows[index].key)
            }
            if !after.isUnique { expected = nil }
            isDone = try unlessNotUnique {
              try context.batchUpdate(
                "Player", format,
                [
                  "number": NSExpression(format: "number + \(shift)"),
                  "score": NSExpression(format: "number * 0.5"),
                ])
            }
          default:
            let age = Int.random(in: 0...4, using: &random)
            let entity = Bool.random(using: &random) ? "Captain" : "Player"
            text = "delete \(entity) age == \(age)"
            expected = []
            after.rows.removeAll { row in
              let goes = row.age == age && (entity == "Player" || row.isCaptain)
              if goes { expected?.append(row.key) }
              return goes
            }
            isDone = try context.batchDelete(entity, "age == \(age)")
          }
          if expected != nil { table = after }
          let place = "seed \(random.seed), round \(round), step \(step): \(text)"
          let keys = isDone.map { Set($0.map(\.key)) }
          try #require(keys?.count == expected.map { Set($0).count }, "\(place)")
          #expect(context.findBrokenInvariant() == nil, "\(place)")
          // An UPSERT reserves a key for each row but may not use it, so the table must adopt the keys of the store.
          try adopt(keys ?? [], &table, context)
          try #require(try read(context) == table.rows.sorted { $0.key < $1.key }, "\(place)")
        }
      }
    }
  }

  /// Executes a request. Returns nil if a uniqueness constraint forbids it.
  private func unlessNotUnique(
    _ request: () throws -> [NSManagedObjectID]
  ) throws -> [NSManagedObjectID]? {
    do {
      return try request()
    } catch {
      if (error as NSError).code == NSManagedObjectConstraintMergeError { return nil }
      throw error
    }
  }

  private func randomRow(_ random: inout SeededGenerator) -> [String: Any] {
    var row: [String: Any] = [:]
    if Int.random(in: 0..<4, using: &random) > 0 {
      row["number"] = Int.random(in: 0...200, using: &random)
    }
    if Bool.random(using: &random) { row["name"] = "n\(Int.random(in: 0...9, using: &random))" }
    if Bool.random(using: &random) { row["age"] = Int.random(in: 0...30, using: &random) }
    if Bool.random(using: &random) {
      row["score"] = Double(Int.random(in: 0...9, using: &random)) / 4
    }
    return row
  }

  private func request(
    _ rows: [[String: Any]], _ entity: String, usesHandler: Bool
  ) -> NSBatchInsertRequest {
    guard usesHandler else { return NSBatchInsertRequest(entityName: entity, objects: rows) }
    var rest = rows.makeIterator()
    return NSBatchInsertRequest(entityName: entity) { (target: NSMutableDictionary) in
      guard let row = rest.next() else { return true }
      for (key, value) in row { target[key] = value }
      return false
    }
  }

  /// Returns the keys of the written rows, or nil if the request fails.
  private func insert(
    _ rows: [[String: Any]], _ isCaptain: Bool, _ policy: NSMergePolicy, into table: inout Table
  ) -> [Int]? {
    var written: [Int] = []
    for (index, values) in rows.enumerated() {
      // New rows have provisional keys until `adopt` replaces them with the store's.
      var row = Row(
        key: 1_000_000 + index, isCaptain: isCaptain, name: values["name"] as? String,
        number: values["number"] as? Int, age: values["age"] as? Int,
        score: values["score"] as? Double)
      let clashes = table.clashes(row)
      if clashes.isEmpty {
        table.rows.append(row)
        written.append(row.key)
        continue
      }
      switch policy.mergeType {
      case .errorMergePolicyType: return nil
      case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType: break
      default:
        let other = table.rows[clashes[0]]
        if clashes.count > 1 || other.isCaptain != isCaptain { return nil }
        row = other
        if let name = values["name"] as? String { row.name = name }
        if let number = values["number"] as? Int { row.number = number }
        if let age = values["age"] as? Int { row.age = age }
        if let score = values["score"] as? Double { row.score = score }
        if !table.clashes(row).isEmpty { return nil }
        table.rows[clashes[0]] = row
        written.append(row.key)
      }
    }
    return written
  }

  /// Assigns the new keys of the store to the new rows of the table, in order.
  private func adopt(
    _ keys: Set<Int>, _ table: inout Table, _ context: NSManagedObjectContext
  ) throws {
    let known = Set(table.rows.map(\.key))
    var new = keys.subtracting(known).sorted().makeIterator()
    for index in table.rows.indices where table.rows[index].key >= 1_000_000 {
      guard let key = new.next() else { throw Failure() }
      table.rows[index].key = key
    }
  }

  private func read(_ context: NSManagedObjectContext) throws -> [Row] {
    context.reset()
    return try context.all("Player").map { object in
      Row(
        key: object.objectID.key, isCaptain: object.entity.name == "Captain",
        name: object["name"], number: object["number"], age: object["age"], score: object["score"])
    }.sorted { $0.key < $1.key }
  }
}

extension NSManagedObjectID {
  /// The number at the end of the URI.
  fileprivate var key: Int { Int(uriRepresentation().lastPathComponent.dropFirst()) ?? 0 }
}
