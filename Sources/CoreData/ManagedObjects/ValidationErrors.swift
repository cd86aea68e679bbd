enum ValidationErrors {
  static func make(
    _ code: Int, _ message: String, _ slot: PropertySlot, _ object: NSManagedObject, _ value: Any?,
    _ more: [String: Any] = [:]
  ) -> NSError {
    var info = more
    info[NSValidationObjectErrorKey] = object
    info[NSValidationKeyErrorKey] = slot.name
    info[NSValidationValueErrorKey] = BridgedValue.bridged(value) ?? NSNull()
    return CoreDataError.make(code, message, info)
  }

  static func missing(_ slot: PropertySlot, _ object: NSManagedObject) -> NSError {
    // The text is Apple's (`ValidationCodeTests`).
    make(
      NSValidationMissingMandatoryPropertyError,
      "\(name(of: slot, object)) is a required value.", slot, object, nil)
  }

  /// Returns the error for a required number that is not-a-number.
  static func notANumber(
    _ slot: PropertySlot, _ object: NSManagedObject, _ value: Any
  ) -> NSError {
    make(
      NSValidationMissingMandatoryPropertyError,
      "\(name(of: slot, object)) is a required value, and not-a-number is stored as a missing value.",
      slot, object, value)
  }

  /// Returns the error for a value that the property cannot have, whatever its rules: one of a
  /// wrong type, or a date that is not finite.
  static func invalid(
    _ slot: PropertySlot, _ object: NSManagedObject, _ value: Any, cause: (any Error)? = nil
  ) -> NSError {
    let name = name(of: slot, object)
    let (code, message) =
      switch slot.storage {
      case .date: (NSValidationInvalidDateError, "\(name) is not a valid date")
      case .uri: (NSValidationInvalidURIError, "\(name) is not a valid URI")
      default: (NSManagedObjectValidationError, "\(name) is not valid")
      }
    let reason = cause.map { ": \($0.localizedDescription)" } ?? "."
    return make(code, message + reason, slot, object, value)
  }

  /// Returns the error for a date that is not finite. The error contains the number of seconds instead of the date,
  /// because Foundation cannot print such a date.
  static func invalidDate(
    _ slot: PropertySlot, _ object: NSManagedObject, _ seconds: Double
  ) -> NSError {
    invalid(slot, object, NSNumber(value: seconds))
  }

  /// Returns the property's localized name, or its name if the model has no localized one. Messages do not contain the
  /// entity, because an error contains the object.
  static func name(of slot: PropertySlot, _ object: NSManagedObject) -> String {
    let entity = object.layout.entity
    return object.layout.model.model.localizedName(ofProperty: slot.name, of: entity)
      ?? slot.name
  }

  /// Combines several errors into one. Returns nil for no error.
  static func combined(_ errors: [NSError]) -> NSError? {
    // As in Apple's Core Data, a single error is thrown unchanged.
    if errors.count < 2 { return errors.first }
    let texts = errors.prefix(3).map(\.localizedDescription).joined(separator: " ")
    return CoreDataError.make(
      NSValidationMultipleErrorsError,
      "Multiple validation errors occurred. \(texts)\(errors.count > 3 ? " …" : "")",
      [NSDetailedErrorsKey: errors])
  }

  /// Checks a value against a rule of the model.
  ///
  /// - Throws: The rule's error if the value breaks it; an error with the reason if the rule cannot
  ///   be evaluated for the value. Both contain the object, the key and the value.
  static func check(
    _ rule: ValidationRule, _ value: Any, _ slot: PropertySlot, _ object: NSManagedObject
  ) throws {
    let holds: Bool
    do {
      holds = try Self.holds(rule.condition, value)
    } catch {
      throw unevaluable(rule, value, slot, object, cause: error)
    }
    if holds { return }
    func error(_ code: Int, _ text: String) -> NSError {
      guard let predicate = rule.statedPredicate else {
        return make(code, text, slot, object, value)
      }
      return make(code, text, slot, object, value, [NSValidationPredicateErrorKey: predicate])
    }
    switch rule.warning {
    case .code(let code):
      throw error(code, "\(name(of: slot, object)) \(breach(of: rule.condition, by: value))")
    case .message(let text):
      // As in Apple's Core Data, a rule with a message has this code, and the message is the description.
      let localized = object.layout.model.model.localized(errorText: text)
      throw error(NSManagedObjectValidationError, localized)
    }
  }

  private static func holds(_ condition: ValidationRule.Condition, _ value: Any) throws -> Bool {
    switch condition {
    // NaN cannot be compared with a bound, so it breaks every rule with a bound.
    case .minimum(let bound):
      order(value, bound).map { $0 != .orderedAscending } ?? false
    case .maximum(let bound):
      order(value, bound).map { $0 != .orderedDescending } ?? false
    // Apple's rule is `length >= n`, and the length of an `NSString` counts UTF-16 units.
    case .minimumLength(let length): ((value as? String)?.utf16.count ?? length) >= length
    case .maximumLength(let length): ((value as? String)?.utf16.count ?? length) <= length
    case .matches(let pattern):
      try (value as? String).map {
        try StringMatcher(.matches, options: [], pattern: pattern).matches($0)
      } ?? true
    case .format(let format): try NSPredicate(validating: format).evaluated(with: value)
    case .predicate(let predicate): try predicate.evaluated(with: value)
    }
  }

  /// Returns what is wrong with a value that breaks a rule, as the rest of a sentence.
  private static func breach(of condition: ValidationRule.Condition, by value: Any) -> String {
    switch condition {
    case .minimum: value is Date ? "is too soon" : "is too small"
    case .maximum: value is Date ? "is too late" : "is too large"
    case .minimumLength: "is too short"
    case .maximumLength: "is too long"
    case .matches(let pattern): "does not match \(pattern)"
    case .format(let format): "is not valid (\(format))"
    case .predicate(let predicate): "is not valid (\(predicate))"
    }
  }

  /// Returns the error for a rule that cannot be evaluated, for example because it reads a key that the value does not
  /// have, or because its pattern takes too long.
  private static func unevaluable(
    _ rule: ValidationRule, _ value: Any, _ slot: PropertySlot, _ object: NSManagedObject,
    cause: any Error
  ) -> NSError {
    var info: [String: Any] = [NSUnderlyingErrorKey: cause as NSError]
    info[NSValidationPredicateErrorKey] = rule.validationPredicate
    return make(
      NSManagedObjectValidationError,
      "\(name(of: slot, object)) cannot be checked by the rule \(rule.predicateFormat):"
        + " \(cause.localizedDescription)", slot, object, value, info)
  }

  /// Compares a value with a bound. Returns nil if one of them is NaN, and `.orderedSame` if they have no order, such
  /// as a date and a number.
  private static func order(_ value: Any, _ bound: ValidationRule.Bound) -> ComparisonResult? {
    let limit: Scalar =
      switch bound {
      case .integer(let limit): .integer(limit)
      case .real(let limit): .double(limit)
      case .decimal(let limit): .decimal(limit)
      case .date(let limit): .date(limit)
      }
    let value = Scalar(value)
    if value.isNotANumber || limit.isNotANumber { return nil }
    return ValueOrder.compare(value, limit) ?? .orderedSame
  }
}

extension ValidationRule {
  /// The rule's predicate if the rule was specified as a predicate; nil if it is of a kind that the model editor
  /// offers.
  fileprivate var statedPredicate: NSPredicate? {
    switch condition {
    case .predicate, .format: validationPredicate
    default: nil
    }
  }
}
