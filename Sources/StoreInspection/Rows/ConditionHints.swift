package import CoreData

/// Finds valid parts of a condition that probably do not mean what people who know SQL intend: numbers in place of
/// dates, dates without quotes, numbers in place of strings, the wildcards of SQL.
package struct ConditionHints {
  private let condition: String
  /// The scope of the visited part.
  private var scope: ConditionScope
  private var hints: [ConditionHint] = []
  /// The numbers outside of quotes that no visited part of the predicate has matched yet, in the order of the text.
  private var numbers: [(value: Double, range: Range<Int>)]

  private init(condition: String, entity: NSEntityDescription) {
    self.condition = condition
    scope = ConditionScope(of: entity)
    let visible = ConditionText.withoutTexts(condition)
    var (index, place) = (visible.startIndex, 0)
    let form = /\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b/.wordBoundaryKind(.simple)
    numbers = visible.matches(of: form).compactMap { match in
      place += visible.distance(from: index, to: match.range.lowerBound)
      index = match.range.lowerBound
      return Double(match.0).map { ($0, place..<place + match.0.count) }
    }
  }

  /// Returns the hints about a condition, in the order of its parts.
  ///
  /// - Parameter predicate: The parsed condition.
  package static func hints(
    at condition: String, _ predicate: NSPredicate, of entity: NSEntityDescription
  ) -> [ConditionHint] {
    var search = ConditionHints(condition: condition, entity: entity)
    search.visit(predicate)
    return search.hints
  }

  private mutating func visit(_ predicate: NSPredicate) {
    switch predicate {
    case let compound as NSCompoundPredicate:
      for part in compound.subpredicates { visit(part) }
    case let comparison as NSComparisonPredicate:
      let (left, right) = (comparison.leftExpression, comparison.rightExpression)
      // The constant may be on either side. Visit both sides in the order of the text, so that each number matches its
      // own place in the text.
      visit(left, for: compared(right), isPattern: false)
      visit(right, for: compared(left), isPattern: comparison.predicateOperatorType == .like)
    default: break
    }
  }

  /// An attribute with the text of the expression that evaluates to its values.
  private typealias Compared = (attribute: NSAttributeDescription, text: String)

  private func compared(_ side: NSExpression) -> Compared? {
    scope.attribute(side).map { ($0, side.description) }
  }

  private mutating func visit(_ value: NSExpression, for compared: Compared?, isPattern: Bool) {
    let type = compared?.attribute.attributeType
    switch value.expressionType {
    case .aggregate:
      for part in value.collection as? [NSExpression] ?? [] {
        visit(part, for: compared, isPattern: isPattern)
      }
    case .function:
      if type == .dateAttributeType, noteUnquotedDate(value) { return }
      visit(value.operand, for: nil, isPattern: false)
      for argument in value.arguments ?? [] { visit(argument, for: nil, isPattern: false) }
    // Visit the parts in the order of the text, so that each number matches its own place in the text.
    case .subquery:
      guard let collection = value.collection as? NSExpression else { return }
      visit(collection, for: nil, isPattern: false)
      let outer = scope
      scope = scope.inside(value.variable, of: collection)
      visit(value.predicate)
      scope = outer
    case .conditional:
      visit(value.predicate)
      visit(value.true, for: compared, isPattern: isPattern)
      visit(value.false, for: compared, isPattern: isPattern)
    case .unionSet, .intersectSet, .minusSet:
      visit(value.left, for: compared, isPattern: false)
      visit(value.right, for: compared, isPattern: false)
    case .constantValue:
      switch value.constantValue {
      case let text as String: if compared != nil, isPattern { noteWildcards(text) }
      case is Bool, is Date: break
      case let number as NSNumber:
        let range = removeNumber(number)
        guard let compared else { break }
        if type == .dateAttributeType { noteSeconds(number.doubleValue, compared.text, range) }
        if type == .stringAttributeType { noteNumber(number, compared.text, range) }
      default: break
      }
    default: break
    }
  }

  /// Returns the place of a number, and removes it from ``numbers`` so that no other value matches it. Returns nil if
  /// there is none, and for a negative number, because spaces may separate its sign from its digits.
  private mutating func removeNumber(_ number: NSNumber) -> Range<Int>? {
    let value = number.doubleValue
    guard let index = numbers.firstIndex(where: { $0.value == abs(value) }) else { return nil }
    let range = numbers.remove(at: index).range
    return value < 0 ? nil : range
  }

  // MARK: Dates

  /// Notes that `day > 2020` compares with a moment on January 1, 2001.
  private mutating func noteSeconds(_ seconds: Double, _ date: String, _ range: Range<Int>?) {
    let written = Self.number(seconds)
    let moment = DateText.formatted(Date(timeIntervalSinceReferenceDate: seconds))
    let text = "\(date) is a date, and the number \(written) means seconds since 2001: \(moment)"
    let since1970 = 978_307_200.0
    // The number is probably a year, or a date from 2001 to 2096 as other programs store it: in seconds
    // or milliseconds since 1970.
    let meant: Date? =
      if (1_000...9_999).contains(seconds), seconds == seconds.rounded() {
        DateParser.date(from: "\(Int(seconds))-01-01")
      } else if (1e9..<4e9).contains(seconds) {
        Date(timeIntervalSinceReferenceDate: seconds - since1970)
      } else if (1e12..<4e12).contains(seconds) {
        Date(timeIntervalSinceReferenceDate: seconds / 1_000 - since1970)
      } else {
        nil
      }
    guard let meant else { return add("\(text); write dates in quotes", range, nil) }
    let day = DateText.formatted(meant).replacing(" 00:00:00", with: "")
    add("\(text); write a date in quotes, such as \"\(day)\"", range, "\"\(day)\"")
  }

  /// Notes that `day > 2020-05-31` subtracts.
  private mutating func noteUnquotedDate(_ value: NSExpression) -> Bool {
    guard let (start, day) = Self.subtraction(value), let (year, month) = Self.subtraction(start)
    else { return false }
    let parts = [year, month, day]
    let numbers = parts.compactMap {
      $0.expressionType == .constantValue ? $0.constantValue as? NSNumber : nil
    }
    guard numbers.count == parts.count else { return false }
    let before = self.numbers
    let ranges = numbers.compactMap { removeNumber($0) }
    if ranges.count == parts.count, ranges[0].lowerBound < ranges[2].upperBound {
      let place = ranges[0].lowerBound..<ranges[2].upperBound
      let found = String(condition.dropFirst(place.lowerBound).prefix(place.count))
      if found.wholeMatch(of: /\d{4}-\d{1,2}-\d{1,2}/) != nil {
        let parts = found.split(separator: "-").map { $0.count < 2 ? "0\($0)" : String($0) }
        let date = "\"\(parts.joined(separator: "-"))\""
        add("\(found) is a subtraction; write a date in quotes: \(date)", place, date)
        return true
      }
    }
    self.numbers = before
    return false
  }

  private static func subtraction(
    _ value: NSExpression
  ) -> (from: NSExpression, subtracted: NSExpression)? {
    guard value.expressionType == .function, value.function == "from:subtract:",
      let arguments = value.arguments, arguments.count == 2
    else { return nil }
    return (arguments[0], arguments[1])
  }

  // MARK: Texts

  private mutating func noteNumber(_ number: NSNumber, _ string: String, _ range: Range<Int>?) {
    let written = Self.number(number.doubleValue)
    add(
      "\(string) is a string, and \(written) is a number; write it in quotes: \"\(written)\"",
      range, "\"\(written)\"")
  }

  /// Notes that `LIKE "W%"` matches a literal percent sign.
  private mutating func noteWildcards(_ text: String) {
    // In a string that contains `*` or `?`, a percent sign is probably meant literally.
    guard text.contains("%"), !text.contains(where: { $0 == "*" || $0 == "?" }) else { return }
    let meant = text.replacing("%", with: "*")
    // The same text may be compared repeatedly.
    let used = Set(hints.compactMap(\.position))
    let places = ["\"\(text)\"", "'\(text)'"].flatMap { condition.ranges(of: $0) }
      .filter { condition[..<$0.lowerBound].contains(/LIKE(?:\[\w+\])?\s*$/.ignoresCase()) }
      .map { range in
        let place = condition.distance(from: condition.startIndex, to: range.lowerBound)
        return place..<place + condition[range].count
      }
    add(
      "LIKE uses * and ? where SQL uses % and _",
      places.filter { !used.contains($0.lowerBound) }.min { $0.lowerBound < $1.lowerBound },
      NSExpression(forConstantValue: meant).description)
  }

  // MARK: Places

  private mutating func add(_ message: String, _ range: Range<Int>?, _ replacement: String?) {
    hints.append(
      ConditionHint(
        message: message, position: range?.lowerBound, length: range?.count,
        replacement: range == nil ? nil : replacement))
  }

  private static func number(_ value: Double) -> String {
    Int64(exactly: value).map(String.init) ?? value.description
  }
}
