import Foundation
import Predicates
import Testing

@Suite struct KeyPathReaderTests {
  private func read(_ object: Any?, _ path: String) throws -> Any? {
    try KeyPathEvaluator.value(of: object, forKeyPath: path)
  }

  @Test func `a key of a collection is read from each element`() throws {
    let rows: [[String: Any]] = [["n": 1], [:], ["n": 3]]
    let values = try #require(read(rows, "n") as? [Any])
    #expect(values.count == 3)
    #expect(values[0] as? Int == 1)
    #expect(values[1] is NSNull)
    let set = NSSet(array: [["n": 1], ["n": 1, "m": 2], ["m": 3]] as [[String: Int]])
    #expect((try read(set, "n") as? Set<AnyHashable>)?.compactMap { $0.base as? Int } == [1])
    let ordered = NSOrderedSet(array: [["n": 2], ["n": 1]] as [[String: Int]])
    #expect((try read(ordered, "n") as? NSOrderedSet)?.array as? [Int] == [2, 1])
  }

  @Test func `operators work on the values of the key path`() throws {
    let rows: [[String: Any]] = [["n": 1], [:], ["n": 3], ["n": 3]]
    #expect(try read(rows, "@count") as? Int == 4)
    #expect(try read(rows, "@sum.n") as? Int == 7)
    #expect(try read(rows, "@avg.n") as? Double == 1.75)
    #expect(try read(rows, "@min.n") as? Int == 1)
    #expect(try read(rows, "@max.n") as? Int == 3)
    #expect(try read(rows, "@unionOfObjects.n") as? [Int] == [1, 3, 3])
    #expect(try read(rows, "@distinctUnionOfObjects.n") as? [Int] == [1, 3])
    #expect(try read([[1, 2], [2, 3]], "@unionOfArrays.self") as? [Int] == [1, 2, 2, 3])
    #expect(try read([[1, 2], [2, 3]], "@distinctUnionOfArrays.self") as? [Int] == [1, 2, 3])
    #expect(
      try read([Decimal(string: "0.1"), Decimal(string: "0.2")], "@sum.self") as? Decimal
        == Decimal(string: "0.3"))
    #expect(try read([1.5, 2], "@sum.self") as? Double == 3.5)
    #expect(try read([Int.max, 1], "@sum.self") as? Double == 9.223372036854775808e18)
  }

  @Test func `a key path stops at nil`() throws {
    #expect(try read(["a": NSNull()], "a.b.c") == nil)
    #expect(try read([String: Any](), "a.b.c") == nil)
    #expect(try read(nil, "a.b") == nil)
    #expect(try read(nil, "@count") == nil)
  }

  @Test func `Foundation's dictionaries have keys too`() throws {
    let dictionary = NSDictionary(dictionary: ["a": ["b": 3]])
    #expect(try read(dictionary, "a.b") as? Int == 3)
    #expect(try read(["a": 1, "b": 2], "@count") as? Int == 2)
  }

  @Test func `self is the object`() throws {
    #expect(try read([3, 1, 2], "@max.self") as? Int == 3)
    #expect(try read("abc", "self.length") as? Int == 3)
  }

  @Test func `a Swift key path has the name it was registered with`() throws {
    struct Cell { var height = 0 }
    #expect(KeyPathNames.name(of: \Cell.height) == nil)
    KeyPathNames.register(\Cell.height, as: "height")
    #expect(KeyPathNames.name(of: \Cell.height) == "height")
    #expect(
      try NSPredicate(validating: "%K > 1", arguments: [\Cell.height]).description == "height > 1")
  }
}
