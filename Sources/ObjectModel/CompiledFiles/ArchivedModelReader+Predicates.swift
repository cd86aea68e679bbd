extension ArchivedModelReader {
  /// Returns the text of an archived predicate; nil if there is none.
  func predicateText(_ value: PropertyListValue?, of place: String) throws -> String? {
    try text(value, of: place) { try $0.text(value) }
  }

  /// Returns the predicate of a fetch request; nil if there is none. It is returned as text unless it contains
  /// constants that have no literal.
  func templatePredicate(
    _ value: PropertyListValue?, of place: String
  ) throws -> TemplatePredicate? {
    if let text = archive.string(value) { return .format(text) }
    guard archive.place(value) != nil else { return nil }
    let constants = ArchivedPredicate.FormatConstants()
    do {
      let text = try ArchivedPredicate(archive: archive, constants: constants).text(value)
      if constants.values.isEmpty { return .format(text) }
      return .predicate(try NSPredicate(validating: text, arguments: constants.values))
    } catch let failure as ArchivedPredicate.Failure {
      throw ModelFileError.malformed(url, "\(place): \(failure.reason)")
    } catch {
      throw ModelFileError.malformed(url, "\(place): \(error.localizedDescription)")
    }
  }

  /// Returns the text of an archived expression; nil if there is none.
  func expressionText(_ value: PropertyListValue?, of place: String) throws -> String? {
    try text(value, of: place) { try $0.expression(value) }
  }

  /// Returns an archived string unchanged, and the text that `read` creates from any other archived object.
  private func text(
    _ value: PropertyListValue?, of place: String, _ read: (ArchivedPredicate) throws -> String
  ) throws -> String? {
    if let text = archive.string(value) { return text }
    guard archive.place(value) != nil else { return nil }
    do {
      return try read(ArchivedPredicate(archive: archive))
    } catch let failure as ArchivedPredicate.Failure {
      throw ModelFileError.malformed(url, "\(place): \(failure.reason)")
    }
  }

  /// Returns a rule's condition: one of the kinds that the model editor creates, otherwise the predicate's text.
  func validationCondition(
    _ value: PropertyListValue, type: NSAttributeType?, of place: String
  ) throws -> ValidationRule.Condition {
    let text = try predicateText(value, of: place) ?? ""
    guard let predicate = archive.instance(value), predicate.className == "NSComparisonPredicate",
      let code = archive.integer(
        archive.instance(predicate.fields["NSPredicateOperator"])?.fields["NSOperatorType"]),
      let constant = constant(predicate.fields["NSRightExpression"])
    else { return .format(text) }
    let left = try expressionText(predicate.fields["NSLeftExpression"], of: place)
    // The codes are Apple's raw values of operators: 1 is `<=`, 3 is `>=` and 6 is MATCHES.
    switch (left, code) {
    case ("length", 3):
      return length(constant).map { .minimumLength($0) } ?? .format(text)
    case ("length", 1):
      return length(constant).map { .maximumLength($0) } ?? .format(text)
    case ("SELF", 6): return (constant as? String).map { .matches($0) } ?? .format(text)
    case ("SELF", 3): return bound(constant, type: type).map { .minimum($0) } ?? .format(text)
    case ("SELF", 1): return bound(constant, type: type).map { .maximum($0) } ?? .format(text)
    default: return .format(text)
    }
  }

  private func constant(_ value: PropertyListValue?) -> Any? {
    guard let instance = archive.instance(value), instance.className == "NSConstantValueExpression"
    else { return nil }
    return archive.swiftValue(instance.fields["NSConstantValue"])
  }

  private func length(_ value: Any) -> Int? {
    (value as? NSNumber).flatMap { Self.wholeNumber($0) }.flatMap { Int(exactly: $0) }
  }

  private func bound(_ value: Any, type: NSAttributeType?) -> ValidationRule.Bound? {
    if let date = value as? Date { return .date(date) }
    if let number = value as? NSDecimalNumber { return .decimal(number.decimalValue) }
    guard let number = value as? NSNumber else { return nil }
    let real = number.doubleValue
    switch type {
    // A number without a decimal form, such as infinity, stays a floating-point bound.
    case .decimalAttributeType: return number.exactDecimal.map { .decimal($0) } ?? .real(real)
    case .doubleAttributeType, .floatAttributeType: return .real(real)
    default: return Self.wholeNumber(number).map { .integer($0) } ?? .real(real)
    }
  }

  /// Returns a number truncated to an integer; nil if it does not fit in 64 bits.
  private static func wholeNumber(_ number: NSNumber) -> Int64? {
    number.scalar.integerValue ?? Int64(exactly: number.doubleValue.rounded(.towardZero))
  }
}
