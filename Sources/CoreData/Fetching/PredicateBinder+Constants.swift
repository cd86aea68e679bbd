import Foundation
import ObjectModel
import Predicates

/// A constant found in a request; it may be nil.
struct RequestConstant {
  let value: Any?
}

extension PredicateBinder {
  /// The value of an expression that does not read the row, or nil when it does.
  func constantValue(_ expression: NSExpression) throws -> RequestConstant? {
    if expression.expressionType == .constantValue {
      return RequestConstant(value: expression.constantValue)
    }
    guard expression.isConstant else { return nil }
    do {
      return RequestConstant(value: try expression.value(with: nil, variables: nil))
    } catch {
      throw CoreDataError.make(
        NSCoreDataError, "\(expression) cannot be computed: \(error.localizedDescription)",
        cause: error)
    }
  }

  /// A constant in the form of what it is compared with.
  func convert(
    _ value: Any?, like other: BoundExpression?, _ text: @autoclosure () -> String
  ) throws -> StoredValue {
    if case .property(let path)? = other {
      if let slot = path.attribute {
        return try ConstantConversion.value(value, for: slot, in: path.end, text())
      }
      return try ConstantConversion.reference(value, to: path, text())
    }
    if case .aggregate(.min, _, let path)? = other, let slot = path.attribute {
      return try ConstantConversion.value(value, for: slot, in: path.end, text())
    }
    if case .aggregate(.max, _, let path)? = other, let slot = path.attribute {
      return try ConstantConversion.value(value, for: slot, in: path.end, text())
    }
    return try ConstantConversion.natural(value, text())
  }
}

/// Turns constants of requests into stored values.
enum ConstantConversion {
  /// The members of a collection constant; nil for anything else.
  static func members(of value: Any?) -> [Any?]? {
    switch value {
    case let array as NSArray: Array(array)
    case let set as NSSet: Array(set)
    case let set as NSOrderedSet: Array(set)
    case let dictionary as NSDictionary: Array(dictionary.allValues)
    case let array as [Any]: array
    case let set as Set<AnyHashable>: set.map(\.base)
    default: nil
    }
  }

  /// The stored form that a value has by its own type.
  static func natural(_ value: Any?, _ text: @autoclosure () -> String) throws -> StoredValue {
    switch value {
    case nil, is NSNull: return .null
    case let value as NSManagedObject: return .reference(value.objectID)
    case let value as NSManagedObjectID: return .reference(value)
    case let value as NSDecimalNumber: return .decimal(value)
    case let value as NSNumber: return number(value)
    case let value as Decimal: return .decimal(NSDecimalNumber(decimal: value))
    case let value as String: return .text(value)
    case let value as Date: return .double(value.timeIntervalSinceReferenceDate)
    case let value as UUID: return .uuid(value)
    case let value as Data: return .data(value)
    case let value as URL: return .uri(value)
    default:
      throw CoreDataError.badRequest(
        "a value of type \(type(of: value ?? NSNull())) cannot be compared in \(text())")
    }
  }

  /// The stored form of a constant that is compared with an attribute.
  static func value(
    _ value: Any?, for slot: PropertySlot, in layout: EntityLayout,
    _ text: @autoclosure () -> String
  ) throws -> StoredValue {
    let natural = try natural(value, text())
    guard let storage = slot.storage else { return natural }
    switch (storage, natural) {
    case (_, .null): return .null
    case (.string, .text), (.data, .data), (.uuid, .uuid), (.transformable, .data): return natural
    case (.date, .text(let string)):
      // A convenience beyond Apple's: a date as people and the command line write it.
      if let date = DateText.date(from: string) {
        return .double(date.timeIntervalSinceReferenceDate)
      }
    case (_, .text(let string)) where storage.isNumeric:
      // A store compares a numeric column with the number that the text spells.
      if let integer = Int64(string) { return .integer(integer) }
      if let double = Double(string) { return .double(double) }
    case (_, .integer) where storage.isNumeric, (_, .double) where storage.isNumeric,
      (_, .decimal) where storage.isNumeric:
      return natural
    case (.string, .integer(let number)): return .text(String(number))
    case (.string, .double(let number)): return .text(String(number))
    case (.string, .decimal(let number)): return .text(number.stringValue)
    case (.string, .uri(let uri)): return .text(uri.absoluteString)
    case (.uri, .uri), (.uri, .text): return natural
    case (.uuid, .text(let string)):
      if let uuid = UUID(uuidString: string) { return .uuid(uuid) }
    case (.uuid, .data(let data)):
      if let uuid = UUID(bytes: data) { return .uuid(uuid) }
    default: break
    }
    throw CoreDataError.badRequest(
      "\(layout.name).\(slot.name) (\(storage)) cannot be compared with"
        + " \(value ?? "nil") (\(type(of: value ?? NSNull()))) in \(text())")
  }

  /// The stored form of a constant that is compared with an object.
  static func reference(
    _ value: Any?, to path: BoundPath, _ text: @autoclosure () -> String
  ) throws -> StoredValue {
    let natural = try natural(value, text())
    switch natural {
    case .null, .reference: return natural
    default:
      throw CoreDataError.badRequest(
        "\(path.text) is an object, and cannot be compared with \(value ?? "nil")"
          + " (\(type(of: value ?? NSNull()))) in \(text())")
    }
  }

  static func number(_ value: NSNumber) -> StoredValue {
    switch UInt8(bitPattern: value.objCType.pointee) {
    case UInt8(ascii: "d"), UInt8(ascii: "f"): return .double(value.doubleValue)
    case UInt8(ascii: "Q") where value.uint64Value > UInt64(Int64.max):
      return .double(value.doubleValue)
    default: return .integer(value.int64Value)
    }
  }
}

/// Dates as people write them: `2024-05-01`, `2024-05-01 12:30`, `2024-05-01T12:30:00Z`.
package enum DateText {
  package static func date(from text: String) -> Date? {
    let plain = text.trimmingCharacters(in: .whitespaces)
    if let date = try? Date(plain, strategy: .iso8601) { return date }
    if let date = try? Date(plain, strategy: .iso8601.year().month().day()) { return date }
    let spaced = plain.replacingOccurrences(of: " ", with: "T")
    for suffix in ["Z", ":00Z"] {
      if let date = try? Date(spaced + suffix, strategy: .iso8601) { return date }
    }
    return nil
  }
}

extension NSExpression {
  /// Whether the value is the same for every object and needs no variable.
  var isConstant: Bool {
    // A key path that begins at a constant object is read from it.
    if let (operand, _) = operandKeyPath { return operand.isConstant }
    return switch node {
    case .constant: true
    case .evaluatedObject, .variable, .keyPath, .anyKey, .block, .custom, .subquery: false
    case .function(_, let operand, let arguments):
      operand?.isConstant != false && arguments.allSatisfy(\.isConstant)
    case .set(_, let left, let right): left.isConstant && right.isConstant
    case .aggregate(let members): members.allSatisfy(\.isConstant)
    case .conditional: false
    }
  }

  /// The subquery of `SUBQUERY(…).@count`.
  var countedSubquery: NSExpression? {
    guard let (operand, keyPath) = operandKeyPath, keyPath == "@count",
      case .subquery = operand.node
    else { return nil }
    return operand
  }
}
