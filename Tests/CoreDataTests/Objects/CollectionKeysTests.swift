import CoreData
import Testing

/// Sources: Apple's pages for `value(forKey:)` of NSArray and NSSet, and "Collection Operators" in
/// the Key-Value Coding Programming Guide.
@Suite("Key-value coding of collections of managed objects")
struct CollectionKeysTests {
  @Test("Arrays, sets and ordered sets collect their elements' values and support operators")
  func reading() throws {
    try SampleStack.withContext { context in
      let players: [NSManagedObject] = [("Ann", 30), ("Bob", 20), (nil, 30)].map { name, age in
        let player = context.insert("Player")
        player.setValue(name, forKey: "name")
        player.setValue(age, forKey: "age")
        return player
      }
      let array = NSArray(array: players)
      #expect(array.value(forKey: "age") as? [Int] == [30, 20, 30])
      #expect((array.value(forKey: "name") as? [Any])?.last is NSNull)
      #expect(array.value(forKeyPath: "@max.age") as? Int == 30)
      #expect(array.value(forKeyPath: "@count") as? Int == 3)
      #expect(array.value(forKeyPath: "@sum.age") as? Int == 80)
      #expect(NSSet(array: players).value(forKey: "age") as? Set<Int> == [30, 20])
      #expect(NSSet(array: players).value(forKeyPath: "@min.age") as? Int == 20)
      let ordered = NSOrderedSet(array: players)
      #expect((ordered.value(forKey: "age") as? NSOrderedSet)?.array as? [Int] == [30, 20])
      #expect(
        NSDictionary(dictionary: ["who": players[0]]).value(forKeyPath: "who.name") as? String
          == "Ann")
      #expect(NSDictionary(dictionary: ["a": 1]).value(forKeyPath: "b.c") == nil)
      #expect(NSSet().value(forKey: "age") as? Set<Int> == [])
    }
  }

  @Test("Setting a key of a collection sets it for every object")
  func writing() throws {
    try SampleStack.withContext { context in
      let team = context.insert("Team")
      let players = (0..<3).map { context.insert("Player", ["age": $0, "team": team]) }
      NSArray(array: players).setValue(5, forKey: "age")
      #expect(players.map { $0.value(forKey: "age") as? Int } == [5, 5, 5])
      (team.value(forKey: "players") as? NSSet)?.setValue("Z", forKey: "name")
      #expect(players.map { $0.value(forKey: "name") as? String } == ["Z", "Z", "Z"])
      NSOrderedSet(array: players).setValue(nil, forKey: "team")
      #expect((team.value(forKey: "players") as? NSSet)?.count == 0)
    }
  }

  @Test("Numbers that operators return cast to every numeric type that can represent them")
  func numbers() throws {
    try SampleStack.withContext { context in
      let team = context.insert("Team")
      let players = [20, 40].map { context.insert("Player", ["age": $0, "team": team]) }
      for (path, number) in [
        ("players.@sum.age", 60.0), ("players.@avg.age", 30), ("players.@min.age", 20),
        ("players.@count", 2),
      ] {
        let value = team.value(forKeyPath: path)
        #expect(value as? Double == number && value as? Int == Int(number), "\(path)")
        #expect(value as? NSNumber == NSNumber(value: number), "\(path)")
      }
      let average = NSArray(array: players).value(forKeyPath: "@avg.age")
      #expect(average as? Int == 30 && average as? Double == 30)
      let block = NSExpression(
        block: { _, arguments, _ in (arguments[0] as? Double ?? 0) * 2 },
        arguments: [NSExpression(format: "1")])
      #expect(block.expressionValue(with: nil, context: nil) as? Int == 2)
    }
  }
}
