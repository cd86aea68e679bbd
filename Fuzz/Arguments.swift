import Foundation
import Predicates

/// Argument values for a format string. The parser can read the text that each of them prints.
struct Arguments {
  let choice: Int

  nonisolated(unsafe) private static let objects: [Any] = [
    "text", 7, 2.5, true, Date(timeIntervalSinceReferenceDate: 5.25), [1, 2], ["a", "b"],
    NSExpression(forVariable: "x"), NSExpression(forKeyPath: "a.b"), Data([1, 2, 3]),
    UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)), "*?\\\"'(", "",
    Double.infinity, Int.min, UInt64.max, [[1], [2]], 1e300, -0.0, "é\u{301}\n",
    NSNumber(value: false), NSString(string: "x"),
  ]

  private static let keyPaths = [
    "a", "a.b", "kids.@count", "size", "self", "SELF.a", "AND", "été", "@max.a", "a b", "1",
    "nil.x",
    "\u{1F600}", "a\u{301}", "%@", "a[0]",
  ]

  /// Returns a value for each `%` in the format, of the type that the letter after it requires.
  func fitting(_ format: String) -> [Any] {
    var arguments: [Any] = []
    var scalars = format.unicodeScalars[...]
    while let sign = scalars.firstIndex(of: "%"), arguments.count < 1000 {
      scalars = scalars[scalars.index(after: sign)...]
      let letter = scalars.first { $0.properties.isAlphabetic && $0 != "l" || $0 == "@" } ?? "@"
      let number = choice &+ arguments.count &* 7
      switch letter {
      case "K": arguments.append(Self.keyPaths[number % Self.keyPaths.count])
      case "@": arguments.append(Self.objects[number % Self.objects.count])
      case "f", "g", "e", "a": arguments.append(Double(number) / 4)
      case "s", "c": arguments.append("s")
      default: arguments.append(number)
      }
    }
    return arguments
  }
}
