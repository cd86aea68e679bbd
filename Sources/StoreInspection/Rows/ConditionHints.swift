package import CoreData

/// Finds valid parts of a condition that people who know SQL probably mean differently: numbers in place of dates,
/// dates without quotes, numbers in place of strings, the wildcards of SQL.
package struct ConditionHints {
  private let condition: String
  private let entity: NSEntityDescription
  private var hints: [ConditionHint] = []

  /// Returns the hints about a condition, in the order of its parts.
  ///
  /// - Parameter predicate: the parsed condition.
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
      let sides = [comparison.leftExpression, comparison.rightExpression]
      // The value may be on either side.
      for (side, other) in [(sides[0], sides[1]), (sides[1], sides[0])] {
        guard side.expressionType == .keyPath, let attribute = attribute(side.keyPath) else {
          continue
        }
        visit(other, for: attribute, side.keyPath, comparison.predicateOperatorType)
      }
    default: break
    }
  }

  private mutating func visit(
    _ value: NSExpression, for attribute: NSAttributeDescription, _ path: String,
    _ comparison: NSComparisonPredicate.Operator
  ) {
    if value.expressionType == .aggregate {
      for part in value.collection as? [NSExpression] ?? [] {
        visit(part, for: attribute, path, comparison)
      }
      return
    }
    // Before other values, because such a date is no constant, but two subtractions.
    if attribute.attributeType == .dateAttributeType, noteUnquotedDate(path) { return }
    guard value.expressionType == .constantValue else { return }
    switch (attribute.attributeType, value.constantValue) {
    case (_, is String) where comparison == .like:
      if let text = value.constantValue as? String { noteWildcards(text) }
    case (_, is String), (_, is Bool), (_, is Date): break
    case (.dateAttributeType, let number as NSNumber): noteSeconds(number.doubleValue, path)
    case (.stringAttributeType, let number as NSNumber): noteNumber(number, path)
    default: break
    }
  }

  // MARK: Dates

  /// `day > 2020` compares with a moment on January 1, 2001.
  private mutating func noteSeconds(_ seconds: Double, _ path: String) {
    let written = Self.number(seconds)
    let moment = DateText.formatted(Date(timeIntervalSinceReferenceDate: seconds))
    let text = "\(path) is a date, and the number \(written) means seconds since 2001: \(moment)"
    let since1970 = 978_307_200.0
    // Probably a year, or seconds or milliseconds since 1970 from 2001 to 2096, as other programs
    // store dates.
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
    guard let meant else {
      add("\(text); write dates in quotes", written, nil)
      return
    }
    let day = DateText.formatted(meant).replacing(" 00:00:00", with: "")
    add("\(text); write a date in quotes, such as \"\(day)\"", written, "\"\(day)\"")
  }

  /// `day > 2020-05-31` subtracts.
  private mutating func noteUnquotedDate(_ path: String) -> Bool {
    let form = /\b\d{4}-\d{1,2}-\d{1,2}\b/
    let visible = ConditionText.withoutTexts(condition)
    guard let match = visible.firstMatch(of: form) else { return false }
    let found = String(match.0)
    let parts = found.split(separator: "-").map { $0.count < 2 ? "0\($0)" : String($0) }
    let date = parts.joined(separator: "-")
    let hint = ConditionHint(
      message: "\(found) is a subtraction; write a date in quotes: \"\(date)\"",
      position: visible.distance(from: visible.startIndex, to: match.range.lowerBound),
      length: found.count, replacement: "\"\(date)\"")
    // Each comparison with a date finds the first one in the text.
    if !hints.contains(hint) { hints.append(hint) }
    return true
  }

  // MARK: Texts

  private mutating func noteNumber(_ number: NSNumber, _ path: String) {
    let written = Self.number(number.doubleValue)
    add(
      "\(path) is a string, and \(written) is a number; write it in quotes: \"\(written)\"",
      written, "\"\(written)\"")
  }

  /// `LIKE "W%"` matches a literal percent sign.
  private mutating func noteWildcards(_ text: String) {
    // A text with these wildcards probably means a percent sign literally.
    guard text.contains("%"), !text.contains(where: { $0 == "*" || $0 == "?" }) else { return }
    let meant = text.replacing("%", with: "*")
    let quoted = NSExpression(forConstantValue: meant).description
    let written = ["\"\(text)\"", "'\(text)'"].first { condition.contains($0) }
    let range = written.flatMap { condition.range(of: $0) }
    hints.append(
      ConditionHint(
        message: "LIKE uses * and ? where SQL uses % and _",
        position: range.map { condition.distance(from: condition.startIndex, to: $0.lowerBound) },
        length: written?.count, replacement: range == nil ? nil : quoted))
  }

  // MARK: Places

  private mutating func add(_ message: String, _ written: String, _ replacement: String?) {
    // The same number may occur twice.
    let used = Set(hints.compactMap(\.position))
    let place = ConditionText.places(ofWord: written, in: condition).first { !used.contains($0) }
    hints.append(
      ConditionHint(
        message: message, position: place, length: place == nil ? nil : written.count,
        replacement: place == nil ? nil : replacement))
  }

  private static func number(_ value: Double) -> String {
    Int64(exactly: value).map(String.init) ?? value.description
  }

  /// Returns the attribute at the end of a key path.
  private func attribute(_ path: String) -> NSAttributeDescription? {
    var entity: NSEntityDescription? = entity
    let keys = path.split(separator: ".").map(String.init)
    for (index, key) in keys.enumerated() {
      guard let property = entity?.propertiesByName[key] else { return nil }
      if let composite = property as? NSCompositeAttributeDescription, index < keys.count - 1 {
        return composite.element(at: keys[index...].joined(separator: "."))
      }
      if let attribute = property as? NSAttributeDescription {
        return index == keys.count - 1 ? attribute : nil
      }
      entity = (property as? NSRelationshipDescription)?.destinationEntity
    }
    return nil
  }
}
