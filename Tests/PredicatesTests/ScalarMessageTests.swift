import Foundation
import Testing

@testable import Predicates

@Suite struct ScalarMessageTests {
  private func message(
    _ selector: String, _ receiver: Any?, _ arguments: Any?..., rule: NilRule = .foundation
  ) throws -> Any? {
    try MessageEvaluator.scalarValue(
      of: selector, to: Scalar(receiver), arguments: arguments.map { Scalar($0) }, nilRule: rule
    ).boxed
  }

  @Test func `strings answer the documented methods of NSString`() throws {
    #expect(try message("stringByAppendingString:", "a", "b") as? String == "ab")
    #expect(try message("hasPrefix:", "abc", "ab") as? Int == 1)
    #expect(try message("hasSuffix:", "abc", "ab") as? Int == 0)
    #expect(try message("containsString:", "abc", "b") as? Int == 1)
    #expect(try message("compare:", "a", "b") as? Int == -1)
    #expect(try message("caseInsensitiveCompare:", "A", "a") as? Int == 0)
    #expect(try message("substringFromIndex:", "abc", 1) as? String == "bc")
    #expect(try message("substringToIndex:", "abc", 1) as? String == "a")
    #expect(try message("uppercaseString", "abc") as? String == "ABC")
    #expect(try message("length", "a😀") as? Int == 3)
    #expect(try message("substringFromIndex:", "abc", 4) == nil)
    #expect(try message("substringToIndex:", "abc", -1) == nil)
  }

  @Test func `dates answer the documented methods of NSDate`() throws {
    let day = Date(timeIntervalSinceReferenceDate: 86400)
    let next = Date(timeIntervalSinceReferenceDate: 2 * 86400)
    #expect(try message("dateByAddingTimeInterval:", day, 86400) as? Date == next)
    #expect(try message("timeIntervalSinceDate:", next, day) as? Double == 86400)
    #expect(try message("compare:", next, day) as? Int == 1)
    #expect(try message("earlierDate:", next, day) as? Date == day)
    #expect(try message("isEqualToDate:", day, day) as? Int == 1)
    #expect(try message("timeIntervalSinceReferenceDate", day) as? Double == 86400)
  }

  @Test func `numbers answer the documented methods of NSNumber`() throws {
    #expect(try message("compare:", 1, 1.5) as? Int == -1)
    #expect(try message("isEqualToNumber:", 1, 1.0) as? Int == 1)
    #expect(try message("integerValue", 1.9) as? Int == 1)
    #expect(try message("integerValue", 1e300) as? Int == Int.max)
    #expect(try message("stringValue", 1.5) as? String == "1.5")
    #expect(try message("boolValue", Decimal(0)) as? Int == 0)
  }

  /// Source: Apple's page for NSString's `integerValue`: "0 if the receiver doesn't begin with a
  /// valid decimal text representation of a number", and the page for `doubleValue`.
  @Test(arguments: ["😀", "-😀", " 😀", "𝟏", "👨‍👩‍👧/x"])
  func `a string with a character beyond U+FFFF before any digit is the number 0`(
    text: String
  ) throws {
    for key in ["intValue", "integerValue", "longLongValue", "boolValue"] {
      #expect(try message(key, text) as? Int == 0)
    }
    for key in ["doubleValue", "floatValue"] { #expect(try message(key, text) as? Double == 0) }
    #expect(try message("integerValue", " 12😀3") as? Int == 12)
    #expect(try message("doubleValue", "1.5😀") as? Double == 1.5)
  }

  /// Source: the table on Apple's page for NSString's `deletingLastPathComponent`. The table has no path of one
  /// character without a slash; such a path loses its only component, as "scratch.tiff" does.
  @Test(arguments: [
    ("/tmp/scratch.tiff", "/tmp"), ("/tmp/lock/", "/tmp"), ("/tmp/", "/"), ("/tmp", "/"),
    ("/", "/"), ("//", "/"), ("scratch.tiff", ""), ("", ""), ("a", ""), ("é", ""), ("a/", ""),
    (".", ""), ("\u{301}", ""), ("😀", ""), ("/\u{301}", "/"), ("x/👨‍👩‍👧", "x"),
  ])
  func `a path loses its last component`(path: String, folder: String) throws {
    #expect(try message("stringByDeletingLastPathComponent", path) as? String == folder)
  }

  /// Source: the tables on Apple's pages for NSString's `lastPathComponent` and `pathExtension`. The tables have no
  /// paths with several slashes before the last component, or with a combining mark after a slash or period.
  @Test(arguments: [
    ("/tmp/scratch.tiff", "scratch.tiff", "tiff"), ("/tmp/scratch", "scratch", ""),
    ("/tmp/", "tmp", ""), ("scratch///", "scratch", ""), ("/", "/", ""), ("", "", ""),
    (".scratch.tiff", ".scratch.tiff", "tiff"), ("/tmp/scratch..tiff", "scratch..tiff", "tiff"),
    ("///a//", "a", ""), ("a///b//", "b", ""), ("http:///a//", "a", ""), ("///", "/", ""),
    ("///a.x//", "a.x", "x"), ("a.b/c", "c", ""), (".tiff", ".tiff", ""), ("..", "..", ""),
    ("a.", "a.", ""), ("a/\u{301}", "\u{301}", ""), ("a.\u{301}", "a.\u{301}", "\u{301}"),
  ])
  func `a path has a last component and an extension`(
    path: String, component: String, pathExtension: String
  ) throws {
    #expect(try message("lastPathComponent", path) as? String == component)
    #expect(try message("pathExtension", path) as? String == pathExtension)
  }

  /// Source: the table on Apple's page for NSString's `deletingPathExtension`. The table has no paths with several
  /// slashes before the last component.
  @Test(arguments: [
    ("/tmp/scratch.tiff", "/tmp/scratch"), ("/tmp/", "/tmp"), ("scratch.bundle/", "scratch"),
    ("scratch..tiff", "scratch."), (".tiff", ".tiff"), ("/", "/"), ("", ""), ("///", "/"),
    ("///a//", "///a"), ("a///b.x//", "a///b"), ("a.b/c", "a.b/c"), ("..", ".."),
  ])
  func `a path loses its extension`(path: String, rest: String) throws {
    #expect(try message("stringByDeletingPathExtension", path) as? String == rest)
  }

  @Test func `a path gets an extension unless it is the root`() throws {
    let name = "stringByAppendingPathExtension:"
    #expect(try message(name, "a", "x") as? String == "a.x")
    #expect(try message(name, "/a/", "x") as? String == "/a.x")
    #expect(try message(name, "a", "\u{301}") as? String == "a.\u{301}")
    for path in ["", "/", "///"] { #expect(try message(name, path, "\u{301}") == nil) }
    #expect(try message(name, "a", "/x") == nil)
  }

  /// Source: Apple's page for NSDecimalNumber: exponents from -128 to 127.
  @Test func `products of decimals below 1e-128 are doubles, others are rounded`() throws {
    let name = "decimalNumberByMultiplyingBy:"
    let least = try #require(Decimal(string: "1e-128"))
    #expect(try message(name, least, least) as? Double == 1e-128 * 1e-128)
    #expect(
      try message(name, least, Decimal(string: "1e127")) as? Decimal == Decimal(string: "0.1"))
    let digits = try #require(Decimal(string: "1.2345678901234567890123456789012345678e-91"))
    #expect(
      try message(name, digits, Decimal(string: "-0.5")) as? Decimal
        == Decimal(string: "-6.172839450617283945061728394506172839e-92"))
    #expect(
      try message("decimalNumberByDividingBy:", least, Decimal(string: "1e127")) as? Double
        == 1e-128 / 1e127)
  }

  @Test func `methods of nil, or with a nil argument, return nil`() throws {
    #expect(try message("hasPrefix:", nil, "a") == nil)
    #expect(try message("hasPrefix:", "a", nil, rule: .store) == nil)
    #expect(try message("hasPrefix:", "a", nil) == nil)
  }

  @Test func `the error contains an unknown method`() {
    #expect(
      throws: InvalidPredicateError(
        "foo: of \"a\" of type String with 1 of type Int cannot be called by name")
    ) { try message("foo:", "a", 1) }
    #expect(throws: InvalidPredicateError("String has no value for the key \"foo\"")) {
      try message("foo", "a")
    }
  }
}
