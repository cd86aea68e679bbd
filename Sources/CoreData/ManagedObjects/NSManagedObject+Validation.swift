import Foundation
import ObjectModel
import Predicates

extension NSManagedObject {
  /// Every rule of the model that the object breaks.
  func brokenRules() -> [NSError] {
    var errors: [NSError] = []
    // A subclass may have rules of its own for any property.
    let hasOwnRules = type(of: self) != NSManagedObject.self
    for slot in layout.slots where slot.isValidated || hasOwnRules || slot.kind == .toMany {
      do {
        switch slot.kind {
        case .attribute:
          let given = externalValue(slot.index)
          guard hasOwnRules else {
            try validateValue(given, forKey: slot.name)
            break
          }
          try validateByOwnRules(given, slot)
        case .toOne:
          if hasOwnRules, let object = writtenDestination(slot) {
            try validateByOwnRules(object, slot)
          } else if !slot.isOptional, try toOneID(slot.index) == nil {
            throw ValidationErrors.missing(slot, self)
          }
        case .toMany:
          try validateCount(slot)
          if hasOwnRules, let content = changedMembers(slot) {
            try validateByOwnRules(content.collection, slot)
          }
        case .fetched: break
        }
      } catch {
        errors.append(error as NSError)
      }
    }
    return errors
  }

  /// Asks a subclass, which may put a valid value in the place of the given one.
  private func validateByOwnRules(_ given: Any?, _ slot: PropertySlot) throws {
    var value = given
    try validateValue(&value, forKey: slot.name)
    if !ValueEquality.areEqual(given, value) { try setExternalValue(value, slot.index) }
  }

  /// The destination that a to-one relationship was set to.
  private func writtenDestination(_ slot: PropertySlot) -> NSManagedObject? {
    guard !contents.isEmpty, case .writtenObject(let object) = contents[slot.index] else {
      return nil
    }
    return object
  }

  /// The members of a to-many relationship that were changed and are in memory.
  private func changedMembers(_ slot: PropertySlot) -> ToManyContent? {
    guard !contents.isEmpty, case .toMany(let content) = contents[slot.index], content.isRead,
      content.isChanged
    else { return nil }
    return content
  }

  /// Minimum and maximum of a to-many relationship, of which an optional one may be empty.
  private func validateCount(_ slot: PropertySlot) throws {
    guard let relationship = slot.relationship, slot.countsMembers else { return }
    let count = try toManyObjects(slot.index).filter { !$0.isDeleted }.count
    // A relationship that must be there and has no minimum may be empty all the same.
    if count == 0, slot.isOptional { return }
    if count < relationship.minCount {
      throw ValidationErrors.make(
        NSValidationRelationshipLacksMinimumCountError,
        "\(ValidationErrors.name(of: slot, self)) has \(count) members, at least \(relationship.minCount) are required.",
        slot, self, count)
    }
    if relationship.maxCount > 1, count > relationship.maxCount {
      throw ValidationErrors.make(
        NSValidationRelationshipExceedsMaximumCountError,
        "\(ValidationErrors.name(of: slot, self)) has \(count) members, at most \(relationship.maxCount) are allowed.",
        slot, self, count)
    }
  }

  /// The deny rules that keep the object from being deleted.
  func deniedDeletions() throws -> [NSError] {
    var errors: [NSError] = []
    for slot in layout.toOneSlots + layout.toManySlots {
      let property = layout.slots[slot]
      guard property.relationship?.deleteRule == .denyDeleteRule else { continue }
      let members =
        property.kind == .toOne
        ? [try toOneObject(slot)].compactMap { $0 } : try toManyObjects(slot)
      let remaining = members.filter { !$0.isDeleted }
      if !remaining.isEmpty {
        errors.append(
          ValidationErrors.make(
            NSValidationRelationshipDeniedDeleteError,
            "\(layout.model.model.localizedName(of: layout.entity) ?? layout.name) cannot be deleted:"
              + " \(layout.model.model.localizedName(ofProperty: property.name, of: layout.entity) ?? property.name) still has \(remaining.count)"
              + " object\(remaining.count == 1 ? "" : "s").",
            property, self, remaining.count))
      }
    }
    return errors
  }
}

/// Makes validation errors.
enum ValidationErrors {
  static func make(
    _ code: Int, _ message: String, _ slot: PropertySlot, _ object: NSManagedObject, _ value: Any?
  ) -> NSError {
    var info: [String: Any] = [
      NSValidationObjectErrorKey: object, NSValidationKeyErrorKey: slot.name,
    ]
    if let value { info[NSValidationValueErrorKey] = value }
    return CoreDataError.make(code, message, info)
  }

  static func missing(_ slot: PropertySlot, _ object: NSManagedObject) -> NSError {
    make(
      NSValidationMissingMandatoryPropertyError,
      "\(name(of: slot, object)) is a required value.", slot, object, nil)
  }

  /// The property's name for people, where the model has one; else with the entity's.
  static func name(of slot: PropertySlot, _ object: NSManagedObject) -> String {
    let entity = object.layout.entity
    return object.layout.model.model.localizedName(ofProperty: slot.name, of: entity)
      ?? "\(object.layout.name).\(slot.name)"
  }

  /// One error as it is, several as one; nil for none.
  static func combined(_ errors: [NSError]) -> NSError? {
    if errors.count < 2 { return errors.first }
    let texts = errors.prefix(3).map(\.localizedDescription).joined(separator: " ")
    return CoreDataError.make(
      NSValidationMultipleErrorsError,
      "\(errors.count) validation errors. \(texts)\(errors.count > 3 ? " …" : "")",
      [NSDetailedErrorsKey: errors])
  }

  /// Checks a value against one rule of the model.
  static func check(
    _ rule: ValidationRule, _ value: Any, _ slot: PropertySlot, _ object: NSManagedObject
  ) throws {
    let holds: Bool
    let message: String
    switch rule.condition {
    case .minimum(let bound):
      holds = compare(value, bound) >= 0
      message = "is too small"
    case .maximum(let bound):
      holds = compare(value, bound) <= 0
      message = "is too large"
    case .minimumLength(let length):
      holds = ((value as? String)?.utf16.count ?? length) >= length
      message = "is too short"
    case .maximumLength(let length):
      holds = ((value as? String)?.utf16.count ?? length) <= length
      message = "is too long"
    case .matches(let pattern):
      holds =
        try (value as? String).map {
          try StringMatcher(.matches, options: [], pattern: pattern).matches($0)
        } ?? true
      message = "does not match \(pattern)"
    case .format(let format):
      holds = try NSPredicate(validating: format).evaluated(with: value)
      message = "is not valid (\(format))"
    case .predicate(let predicate):
      holds = try predicate.evaluated(with: value)
      message = "is not valid (\(predicate))"
    }
    if holds { return }
    let name = name(of: slot, object)
    switch rule.warning {
    case .code(let code): throw make(code, "\(name) \(message).", slot, object, value)
    case .message(let text):
      let localized = object.layout.model.model.localized(errorText: text)
      throw make(NSManagedObjectValidationError, localized, slot, object, value)
    }
  }

  private static func compare(_ value: Any, _ bound: ValidationRule.Bound) -> Int {
    func order<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : (a == b ? 0 : 1) }
    switch bound {
    case .integer(let limit):
      if let number = value as? NSDecimalNumber {
        return order(number.decimalValue, Decimal(limit))
      }
      guard let number = value as? NSNumber else { return 0 }
      return order(number.doubleValue, Double(limit))
    case .real(let limit): return order((value as? NSNumber)?.doubleValue ?? limit, limit)
    case .decimal(let limit): return order((value as? NSNumber)?.decimalValue ?? limit, limit)
    case .date(let limit): return order((value as? Date) ?? limit, limit)
    }
  }
}
