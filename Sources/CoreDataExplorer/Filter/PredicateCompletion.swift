import CoreData
import StoreInspection

/// Suggestions for a position in a condition: keys, operators, values, keywords.
struct PredicateCompletion: Encodable {
  struct Option: Encodable, Equatable {
    let text: String
    var detail: String?
    /// `key`, `operator`, `function`, `value` or `keyword`.
    let kind: String
  }

  private static let operators: [(String, String)] = [
    ("==", "equal"), ("!=", "not equal"), ("<", "less"), ("<=", "at most"), (">", "greater"),
    (">=", "at least"), ("BETWEEN", "within { low, high }"), ("IN", "one of { … }"),
    ("BEGINSWITH[cd]", "begins with"), ("ENDSWITH[cd]", "ends with"), ("CONTAINS[cd]", "contains"),
    ("LIKE[cd]", "with ? and *"), ("MATCHES", "regular expression"),
  ]
  private static let functions: [(String, String)] = [
    ("ANY", "some member"), ("ALL", "every member"), ("NONE", "no member"), ("NOT", "not"),
    ("SUBQUERY(", "members that meet a condition"),
  ]
  private static let comparisons: Set<String> = [
    "==", "=", "!=", "<>", "<", "<=", ">", ">=", "IN", "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE",
    "MATCHES", "BETWEEN",
  ]

  /// How many characters (Unicode scalars) precede the text that an option replaces.
  let from: Int
  let options: [Option]

  /// - Parameters:
  ///   - text: The condition so far.
  ///   - cursor: How many characters (Unicode scalars) precede the cursor.
  init(_ text: String, at cursor: Int, of entity: NSEntityDescription) {
    let before = Array(text.unicodeScalars.prefix(cursor))
    let start = (before.lastIndex { !Self.isPartOfWord($0) } ?? -1) + 1
    let word = Self.text(before[start...])
    from = start
    guard let tokens = Self.tokens(before[..<start]) else {
      // Inside a string literal there is nothing to suggest.
      options = []
      return
    }
    let possible: [Option]
    switch Self.expectation(after: tokens) {
    case .operand: possible = Self.operands(word, of: entity)
    case .comparison(let path): possible = Self.operators(for: path, of: entity)
    case .value(let path): possible = Self.values(for: path, of: entity)
    case .connection:
      possible = ["AND", "OR"].map { Option(text: $0, kind: "keyword") }
    }
    options = possible.filter {
      $0.text.lowercased().hasPrefix(word.lowercased()) && $0.text != word
    }
  }

  // MARK: Position of the cursor

  private enum Expectation {
    case operand, connection
    case comparison(String)
    case value(String?)
  }

  private static func expectation(after tokens: [String]) -> Expectation {
    guard let last = tokens.last else { return .operand }
    let bare = comparison(last)
    if comparisons.contains(bare) { return .value(tokens.dropLast().last) }
    if ["AND", "OR", "NOT", "&&", "||", "!", "(", ",", "ANY", "ALL", "NONE", "SOME", "{"]
      .contains(last.uppercased())
    {
      return .operand
    }
    // The last token completes a comparison.
    if tokens.count >= 2, comparisons.contains(comparison(tokens[tokens.count - 2])) {
      return .connection
    }
    if [")", "}"].contains(last) || ["TRUEPREDICATE", "FALSEPREDICATE"].contains(last.uppercased())
    {
      return .connection
    }
    return .comparison(last)
  }

  /// Returns an operator without its options in brackets.
  private static func comparison(_ token: String) -> String {
    String(token.prefix { $0 != "[" }).uppercased()
  }

  private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
      || "_.$@".unicodeScalars.contains(scalar)
  }

  /// Returns the tokens before the cursor; nil inside a string literal.
  private static func tokens(_ scalars: ArraySlice<Unicode.Scalar>) -> [String]? {
    var tokens: [String] = []
    var place = scalars.startIndex
    while place < scalars.endIndex {
      let scalar = scalars[place]
      var end = place + 1
      if scalar.properties.isWhitespace {
        place = end
        continue
      }
      if scalar == "\"" || scalar == "'" {
        while end < scalars.endIndex, scalars[end] != scalar { end += scalars[end] == "\\" ? 2 : 1 }
        guard end < scalars.endIndex else { return nil }
        end += 1
      } else if isPartOfWord(scalar) {
        while end < scalars.endIndex,
          isPartOfWord(scalars[end]) || scalars[end] == "[" || scalars[end] == "]"
        {
          end += 1
        }
      } else if "=!<>&|".unicodeScalars.contains(scalar) {
        while end < scalars.endIndex, "=!<>&|".unicodeScalars.contains(scalars[end]) { end += 1 }
        // Options are in brackets: `==[cd]`.
        if end < scalars.endIndex, scalars[end] == "[",
          let close = scalars[end...].firstIndex(of: "]")
        {
          end = close + 1
        }
      }
      end = min(end, scalars.endIndex)
      tokens.append(text(scalars[place..<end]))
      place = end
    }
    return tokens
  }

  private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }

  // MARK: Suggestions

  /// Returns the keys that can continue a path. Also returns `@count` after a to-many relationship and, if the path has
  /// no dot yet, functions that may begin a condition.
  private static func operands(_ word: String, of entity: NSEntityDescription) -> [Option] {
    var parts = word.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    _ = parts.popLast()
    let path = parts.isEmpty ? "" : parts.joined(separator: ".") + "."
    if let elements = elements(of: parts, entity) {
      return elements.map {
        Option(text: path + $0.name, detail: $0.typeText, kind: "key")
      }
    }
    guard let owner = destination(of: parts, entity) else { return [] }
    let keys = owner.properties.filter { !$0.isTransient || $0 is NSFetchedPropertyDescription }
      .sorted { $0.name < $1.name }.map { property in
        Option(text: path + property.name, detail: property.typeText ?? "", kind: "key")
      }
    if let last = parts.last {
      let relationship = destination(of: Array(parts.dropLast()), entity)?.relationshipsByName[last]
      return keys
        + (relationship?.isToMany == true
          ? [Option(text: path + "@count", detail: "how many", kind: "function")] : [])
    }
    return keys + functions.map { Option(text: $0.0, detail: $0.1, kind: "function") }
  }

  private static func destination(
    of keys: [String], _ entity: NSEntityDescription
  ) -> NSEntityDescription? {
    keys.reduce(entity) { entity, key in entity?.relationshipsByName[key]?.destinationEntity }
  }

  /// Returns the elements of the composite attribute at a path; nil if there is none.
  private static func elements(
    of keys: [String], _ entity: NSEntityDescription
  ) -> [NSAttributeDescription]? {
    guard let place = keys.firstIndex(where: { entity.relationshipsByName[$0] == nil }) else {
      return nil
    }
    guard place == 0 else {
      return entity.relationshipsByName[keys[0]]?.destinationEntity.flatMap {
        elements(of: Array(keys.dropFirst()), $0)
      }
    }
    let first = entity.attributesByName[keys[0]] as? NSCompositeAttributeDescription
    return keys.dropFirst().reduce(first) { composite, key in
      composite?.elements.first { $0.name == key } as? NSCompositeAttributeDescription
    }?.elements
  }

  private static func attribute(
    _ path: String?, of entity: NSEntityDescription
  ) -> NSAttributeDescription? {
    guard var keys = path?.split(separator: ".").map(String.init), let last = keys.popLast() else {
      return nil
    }
    return elements(of: keys, entity)?.first { $0.name == last }
      ?? destination(of: keys, entity)?.attributesByName[last]
  }

  private static func operators(for path: String, of entity: NSEntityDescription) -> [Option] {
    let isText = attribute(path, of: entity).map { $0.attributeType == .stringAttributeType }
    return operators.filter { name, _ in
      // Operators for strings do not apply to other types.
      isText != false || !name.contains(/WITH|CONTAINS|LIKE|MATCHES/)
    }.map { Option(text: $0.0, detail: $0.1, kind: "operator") }
  }

  /// Returns recent dates, as numbers of seconds since 2001 that are cast to dates.
  private static func dates() -> [Option] {
    let day = 86_400.0
    let today = (Date().timeIntervalSinceReferenceDate / day).rounded(.down) * day
    return [("today", 0), ("a week ago", 7), ("30 days ago", 30), ("a year ago", 365)].map {
      name, days in
      Option(
        text: "CAST(\(Int(today - Double(days) * day)), \"NSDate\")", detail: name, kind: "value")
    }
  }

  private static func values(for path: String?, of entity: NSEntityDescription) -> [Option] {
    let none = Option(text: "nil", kind: "value")
    return switch attribute(path, of: entity)?.attributeType {
    case .booleanAttributeType?: ["YES", "NO"].map { Option(text: $0, kind: "value") } + [none]
    case .dateAttributeType?: dates() + [none]
    default: [none]
    }
  }
}
