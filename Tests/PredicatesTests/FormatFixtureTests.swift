import FixtureSupport
import Foundation
import Predicates
import Testing

@Suite struct FormatFixtureTests {
  /// The lines that are not predicates but values for `NSExpression(format:)`.
  static let expressions: Set<String> = [
    "%K", "4 + 5 - 2**3", "format", "pages.@count", "tags[4]", "tags[FIRST]", "tags[LAST]",
    "tags[SIZE]",
  ]
  /// The line that is not in the predicate language at all, and the position of its error.
  static let invalid = ["<%@>: %@": 0]

  /// Returns arguments that fit a format: a key path for `%K`, a list after IN and BETWEEN.
  static func arguments(for format: String) -> [Any] {
    var arguments: [Any] = []
    var rest = format[...]
    var before = ""
    while let sign = rest.firstIndex(of: "%") {
      before += rest[..<sign]
      rest = rest[sign...].dropFirst()
      let letter = rest.first { $0.isLetter && $0 != "l" || $0 == "@" } ?? "@"
      let isList =
        before.uppercased().hasSuffix("IN ") || before.uppercased().hasSuffix("BETWEEN ")
        || before.uppercased().hasSuffix("IN (")
      switch letter {
      case "K": arguments.append("key\(arguments.count)")
      case "@": arguments.append(isList ? [1, 2] as Any : "text")
      case "f", "a": arguments.append(1.5)
      default: arguments.append(7)
      }
      before += "%"
    }
    return arguments
  }

  @Test(.enabled(if: Fixtures.include("predicates/formats.tsv"), "no public fixture"))
  func `every format string of public code parses, prints and parses to an equal predicate`() throws
  {
    let formats = try Fixtures.table("predicates/formats.tsv").compactMap { $0["format"] }
    #expect(formats.count == 413)
    for format in formats where Self.invalid[format] == nil {
      let arguments = Self.arguments(for: format)
      if Self.expressions.contains(format) {
        let expression = try NSExpression(validating: format, arguments: arguments)
        let again = try NSExpression(validating: expression.description)
        #expect(again == expression, "\(format) printed \(expression)")
        continue
      }
      do {
        let predicate = try NSPredicate(validating: format, arguments: arguments)
        let again = try NSPredicate(validating: predicate.description)
        #expect(again == predicate, "\(format) printed \(predicate)")
        #expect(again.description == predicate.description)
      } catch {
        Issue.record("\(format): \(error)")
      }
    }
  }

  @Test func `a string that is not a predicate is rejected with a position`() throws {
    for format in Self.expressions {
      let error = #expect(throws: InvalidPredicateError.self) {
        _ = try NSPredicate(validating: format, arguments: Self.arguments(for: format))
      }
      #expect(error?.position == 0, "\(format)")
    }
    for (format, position) in Self.invalid {
      let error = #expect(throws: InvalidPredicateError.self) {
        _ = try NSPredicate(validating: format, arguments: ["a", "b"])
      }
      #expect(error?.position == position)
    }
  }
}
