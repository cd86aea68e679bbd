import Foundation
import Predicates
import Testing

@testable import ObjectModel

@Suite("Archives of plain values") struct PlainObjectsTests {
  private let transformer = NSSecureUnarchiveFromDataTransformer()

  @Test("Plain values are unarchived as they were archived")
  func roundTrip() throws {
    let objects: [NSObject] = [
      NSString("text"), NSNumber(value: 5), NSNumber(value: 2.5), NSNumber(value: true),
      NSDate(timeIntervalSinceReferenceDate: 12.5), NSDate(timeIntervalSinceReferenceDate: 12),
      NSData(data: Data([1, 2, 3])), NSUUID(), NSNull(), NSDecimalNumber(string: "12.345"),
      NSArray(array: ["a", 1, NSArray(array: [NSNull()])]), NSSet(array: ["a", "b"]),
      NSDictionary(dictionary: ["a": 1, "b": NSArray(array: ["c"])]), NSArray(), NSDictionary(),
      NSMutableArray(array: [1]), NSMutableString(string: "x"),
    ]
    for object in objects {
      let data = try #require(transformer.reverseTransformedValue(object) as? Data)
      let back = try #require(transformer.transformedValue(data) as? NSObject, "\(object)")
      #expect(back.isEqual(object))
    }
  }

  /// Source: Apple's pages for NSNumber (`init(value:)` of Int8, UInt64) and NSDecimalNumber
  /// (`notANumber`).
  @Test func `Numbers keep their value: Int8, UInt64 above Int64.max, decimal NaN`() throws {
    let numbers: [NSNumber] = [
      NSNumber(value: Int8(50)), NSNumber(value: Int8(-7)), NSNumber(value: Int8(1)),
      NSNumber(value: UInt64.max), NSNumber(value: UInt64(Int64.max) + 1),
      NSNumber(value: Int64.min), NSDecimalNumber.notANumber, NSDecimalNumber(string: "-0.1"),
    ]
    for number in numbers {
      let data = try #require(transformer.reverseTransformedValue(number) as? Data)
      let back = try #require(transformer.transformedValue(data) as? NSNumber, "\(number)")
      #expect(back.stringValue == number.stringValue)
      #expect(!back.isTruthValue)
    }
    for truth in [true, false] {
      let data = try #require(transformer.reverseTransformedValue(NSNumber(value: truth)) as? Data)
      let back = try #require(transformer.transformedValue(data) as? NSNumber)
      #expect(back.isTruthValue && back.boolValue == truth)
    }
    #expect(try ArchivedPredicate.literal(NSNumber(value: Int8(50))) == "50")
    #expect(try ArchivedPredicate.literal(NSNumber(value: true)) == "YES")
    #expect(
      try ArchivedPredicate.literal(NSNumber(value: Double.infinity)) == #"CAST("inf", "NSNumber")"#
    )
  }

  @Test func `Invalid dates can be members of archived sets`() throws {
    let set: Set<Date> = [
      Date(timeIntervalSinceReferenceDate: .nan), Date(timeIntervalSinceReferenceDate: 1),
    ]
    #expect(transformer.reverseTransformedValue(set) is Data)
  }

  @Test("Equal sets and dictionaries have equal archives")
  func order() throws {
    let names = (0..<40).map { "name \($0)" }
    let one = NSMutableDictionary()
    let other = NSMutableDictionary()
    for name in names { one[name] = NSSet(array: names) }
    for name in names.reversed() { other[name] = NSSet(array: names.reversed()) }
    let data = try #require(transformer.reverseTransformedValue(one) as? Data)
    #expect(transformer.reverseTransformedValue(other) as? Data == data)
  }

  @Test("Values nested 100,000 levels deep can be archived, and deeper ones are rejected")
  func deep() throws {
    func nested(_ levels: Int) -> [Any] {
      (1..<levels).reduce([Any]()) { inner, _ in [inner] }
    }
    let array = NSArray(array: [NSArray(array: nested(200))])
    let few = try #require(transformer.reverseTransformedValue(array) as? Data)
    #expect((transformer.transformedValue(few) as? NSArray)?.count == 1)
    // Swift's own recursive release would overflow the stack.
    var value: Any = nested(100_000)
    let data = try #require(transformer.reverseTransformedValue(value) as? Data)
    NestedValues.release(&value)
    value = transformer.transformedValue(data) ?? 0
    #expect(NestedValues.height(of: value) == 100_000)
    NestedValues.release(&value)
    value = nested(100_001)
    #expect(transformer.reverseTransformedValue(value) == nil)
    NestedValues.release(&value)
  }

  @Test("A URL keeps its base")
  func addresses() throws {
    let base = try #require(URL(string: "https://example.org/a/"))
    let url = try #require(URL(string: "b?c=d", relativeTo: base))
    let data = try #require(transformer.reverseTransformedValue(url) as? Data)
    #expect((transformer.transformedValue(data) as? URL)?.absoluteString == url.absoluteString)
  }

  @Test("An object of a wrong class in an archive is rejected, without a crash")
  func hostile() throws {
    func archive(_ name: String, _ fields: [String: PropertyListValue]) -> KeyedArchive {
      KeyedArchive(
        objects: [
          .value(.string("$null")), .instance(classNames: [name, "NSObject"], fields: fields),
          .instance(
            classNames: ["NSArray", "NSObject"], fields: ["NS.objects": .array([.uid(1)])]),
        ], root: 1)
    }
    // An array in place of a URL, of bytes and of a time; a list that contains itself; nil in a list; lists without
    // or with missing objects; a key without a value; a string in place of a list; a class that is not allowed.
    let damaged = [
      archive("NSURL", ["NS.relative": .uid(2)]), archive("NSUUID", ["NS.uuidbytes": .uid(2)]),
      archive("NSDate", ["NS.time": .uid(2)]),
      archive("NSArray", ["NS.objects": .array([.uid(2)])]),
      archive("NSArray", ["NS.objects": .array([.uid(0)])]), archive("NSArray", [:]),
      archive("NSArray", ["NS.objects": .array([.uid(99)])]),
      archive("NSDictionary", ["NS.keys": .array([.uid(0)]), "NS.objects": .array([])]),
      archive("NSSet", ["NS.objects": .string("x")]), archive("NSTask", [:]),
    ]
    for archive in damaged {
      let data = archive.data()
      #expect(transformer.transformedValue(data) == nil)
    }
    #expect(transformer.transformedValue(Data([1, 2])) == nil)
    #expect(transformer.transformedValue("text") == nil)
    #expect(transformer.transformedValue(nil) == nil)
  }

  @Test("Archives with any damaged byte are read or rejected, without a crash")
  func damaged() throws {
    let object = NSArray(array: [
      "a", 1, NSDictionary(dictionary: ["b": NSDate(timeIntervalSinceReferenceDate: 1)]), NSUUID(),
    ])
    let data = try #require(transformer.reverseTransformedValue(object) as? Data)
    for place in data.indices {
      for bit in 0..<8 {
        var other = data
        other[place] ^= 1 << bit
        _ = transformer.transformedValue(other)
      }
    }
  }
}
