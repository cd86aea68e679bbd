extension MessageEvaluator {
  /// Returns the result of a documented method of Foundation's strings, numbers, dates and URLs.
  ///
  /// None of these methods turns a small input into a large result: a predicate typed by a user, with many
  /// nested calls, must not exhaust the memory.
  ///
  /// A method without arguments is a key (``Scalar/value(forKey:)``). The result is null if the receiver or
  /// an argument is null, or if the method has no result for an argument, such as an index beyond the end of the text.
  ///
  /// - Throws: An ``InvalidPredicateError`` for a method that cannot be called by name, or
  ///   arguments of the wrong type.
  package static func scalarValue(
    of selector: String, to receiver: Scalar, arguments: [Scalar], nilRule: NilRule
  ) throws -> Scalar {
    if receiver.isNull { return .null }
    let receiver = nilRule == .store ? receiver.keptDigits : receiver
    let arguments = nilRule == .store ? arguments.map(\.keptDigits) : arguments
    guard let first = arguments.first else { return try receiver.value(forKey: selector) }
    if arguments.contains(where: \.isNull) { return .null }
    let result: Scalar?
    switch (receiver, arguments.count) {
    case (_, 1) where selector == "isEqual:" || selector == "isEqualTo:":
      result = truth(ValueEquality.areEqual(receiver, first))
    case (.text(let text), 1): result = try value(of: selector, to: text, first)
    case (.date(let date), 1): result = value(of: selector, to: date, first)
    case (.url(let url), 1): result = value(of: selector, to: url, first)
    case (_, 1) where receiver.isNumber: result = try number(of: selector, to: receiver, first)
    default: result = nil
    }
    guard let result else { throw unknown(selector, receiver, arguments) }
    return result.isNotANumber ? .null : result
  }

  private static func unknown(
    _ selector: String, _ receiver: Scalar, _ arguments: [Scalar]
  ) -> InvalidPredicateError {
    let given = arguments.map { describe($0.boxed) }.joined(separator: " and ")
    return InvalidPredicateError(
      "\(selector) of \(describe(receiver.boxed)) with \(given) cannot be called by name")
  }

  private static func truth(_ value: Bool) -> Scalar { .integer(value ? 1 : 0) }

  private static func order(_ result: ComparisonResult) -> Scalar {
    .integer(Int64(result.rawValue))
  }

  private static func value(
    of selector: String, to text: String, _ argument: Scalar
  ) throws -> Scalar? {
    if let place = argument.integerValue {
      guard selector == "substringFromIndex:" || selector == "substringToIndex:" else { return nil }
      // Foundation's indexes count UTF-16 units.
      let units = Array(text.utf16)
      guard let place = Int(exactly: place), 0...units.count ~= place else { return .null }
      let part = selector == "substringFromIndex:" ? units[place...] : units[..<place]
      return .text(String(decoding: part, as: UTF16.self))
    }
    guard case .text(let other) = argument else { return nil }
    func found(
      _ type: NSComparisonPredicate.Operator, _ options: NSComparisonPredicate.Options = []
    ) throws -> Scalar {
      truth(try StringMatcher(type, options: options, pattern: other).matches(text))
    }
    if let comparison = StringComparison(rawValue: selector) {
      return order(comparison.compare(text, other))
    }
    switch selector {
    case "stringByAppendingString:": return .text(text + other)
    case "stringByAppendingPathComponent:":
      return .text(NSString(string: text).appendingPathComponent(other))
    // Do not call Foundation's method, which stops the program with some strings.
    case "stringByAppendingPathExtension:":
      return PathText.appending(extension: other, to: text).map(Scalar.text) ?? .null
    case "isEqualToString:": return truth(ValueEquality.areEqual(.text(text), argument))
    case "hasPrefix:": return try found(.beginsWith)
    case "hasSuffix:": return try found(.endsWith)
    case "containsString:": return try found(.contains)
    case "localizedCaseInsensitiveContainsString:":
      return try found(.contains, [.caseInsensitive, .localeSensitive])
    case "localizedStandardContainsString:":
      return try found(.contains, [.caseInsensitive, .diacriticInsensitive, .localeSensitive])
    default: return nil
    }
  }

  private static func value(of selector: String, to date: Date, _ argument: Scalar) -> Scalar? {
    if let seconds = argument.doubleValue {
      switch selector {
      case "dateByAddingTimeInterval:", "addTimeInterval:":
        return .date(date.addingTimeInterval(seconds))
      default: return nil
      }
    }
    guard case .date(let other) = argument else { return nil }
    switch selector {
    case "timeIntervalSinceDate:": return .double(date.timeIntervalSince(other))
    case "compare:": return order(date.compare(other))
    case "earlierDate:": return .date(min(date, other))
    case "laterDate:": return .date(max(date, other))
    case "isEqualToDate:": return truth(date == other)
    default: return nil
    }
  }

  private static func value(of selector: String, to url: URL, _ argument: Scalar) -> Scalar? {
    guard case .text(let text) = argument else { return nil }
    switch selector {
    case "URLByAppendingPathComponent:": return .url(url.appendingPathComponent(text))
    case "URLByAppendingPathExtension:": return .url(url.appendingPathExtension(text))
    default: return nil
    }
  }

  private static func number(
    of selector: String, to number: Scalar, _ argument: Scalar
  ) throws -> Scalar? {
    guard argument.isNumber else { return nil }
    switch selector {
    case "compare:": return order(ValueOrder.compareNumbers(number, argument))
    case "isEqualToNumber:": return truth(ValueEquality.areEqual(number, argument))
    case "decimalNumberByAdding:": return try Arithmetic.apply(.add, number, argument)
    case "decimalNumberBySubtracting:": return try Arithmetic.apply(.subtract, number, argument)
    case "decimalNumberByMultiplyingBy:": return try Arithmetic.apply(.multiply, number, argument)
    case "decimalNumberByDividingBy:": return try Arithmetic.apply(.divide, number, argument)
    default: return nil
    }
  }
}
