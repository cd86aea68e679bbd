/// Converts constants of requests to stored values.
package struct ConstantConversion {
  /// Returns the ID that the stores of the request use for the object with an ID.
  private let localID: (NSManagedObjectID) -> NSManagedObjectID

  /// - Parameter localID: Translates the IDs of other coordinators, whose stores and models have other identities. The
  ///   default is for requests whose IDs all belong to their stores.
  package init(localID: @escaping (NSManagedObjectID) -> NSManagedObjectID = { $0 }) {
    self.localID = localID
  }

  /// Returns the members of a collection constant; nil for another value.
  package static func members(of value: Any?) -> [Any?]? {
    switch value {
    case let array as NSArray: Array(array)
    case let set as NSSet: Array(set)
    case let set as NSOrderedSet: Array(set)
    case let dictionary as NSDictionary: Array(dictionary.allValues)
    case let array as [Any]: array
    case let set as Set<AnyHashable>: set.map(\.base)
    case let dictionary as [AnyHashable: Any]: Array(dictionary.values)
    default: nil
    }
  }

  /// Returns a constant with the type of its value.
  package func constant(
    _ value: Any?, _ text: @autoclosure () -> String
  ) throws -> BoundExpression {
    switch value {
    // The program may still have the ID from before the object was saved.
    case let id as NSManagedObjectID: return reference(id.current)
    case let object as any ObjectIDProviding: return reference(object.ownID)
    case let entity as NSEntityDescription: return .constant(.text(entity.name ?? ""), .text)
    case let expression as NSExpression:
      throw CoreDataError.badRequest("an expression is not a constant: \(expression) in \(text())")
    default: break
    }
    let scalar = Scalar(value)
    if case .other(let value) = scalar {
      throw CoreDataError.badRequest(
        "a value of type \(type(of: value)) cannot be compared in \(text())")
    }
    // Not-a-number is a NULL with a type, so that comparisons are unknown. The constant nil is a NULL without a type.
    return .constant(StoredValue(scalar), Self.kind(of: scalar))
  }

  private func reference(_ id: NSManagedObjectID) -> BoundExpression {
    let id = localID(id)
    return .constant(.reference(id), .object(id.layout))
  }

  /// Returns a constant, converted to the type of the expression that it is compared with if there is a conversion.
  /// Otherwise, the constant keeps its type; so do nil and the name of an entity.
  ///
  /// Compared to Apple's Core Data: text is converted to a date or a UUID, which helps with predicates that users type.
  ///
  /// - Throws: `NSCoreDataError` if the types cannot be compared.
  package func constant(
    _ value: Any?, like other: BoundExpression, _ text: @autoclosure () -> String
  ) throws -> BoundExpression {
    let natural = try constant(value, text())
    guard case .constant(let stored, let kind) = natural, kind != .null, kind != other.kind else {
      return natural
    }
    if other.isEntity, kind == .text { return natural }
    if let converted = Self.convert(stored, kind, to: other.kind) {
      return .constant(converted, other.kind)
    }
    if case .object = kind, case .object(let layout) = other.kind {
      // The object's entity cannot occur here, so no row is equal to the object. Keys of saved
      // objects begin at 1, and temporary ones are negative, so 0 identifies no object.
      let missing = NSManagedObjectID(layout: layout, key: 0, origin: .temporary)
      return .constant(.reference(missing), other.kind)
    }
    guard kind.isComparable(to: other.kind) else {
      throw CoreDataError.badRequest(
        "\(Self.describe(other)) cannot be compared with \(MessageText.text(of: value))"
          + " (\(kind.nameWithArticle)) in \(text())")
    }
    return natural
  }

  private static func kind(of scalar: Scalar) -> ValueKind {
    switch scalar {
    case .null, .other: .null
    case .integer: .integer
    case .unsigned, .double: .double
    case .decimal: .decimal
    case .text: .text
    case .date: .date
    case .data: .data
    case .uuid: .uuid
    case .url: .uri
    }
  }

  private static func describe(_ expression: BoundExpression) -> String {
    guard case .property(let path) = expression else { return expression.subject }
    return "\(path.text) (\(path.kind.nameWithArticle))"
  }

  private static func convert(
    _ value: StoredValue, _ kind: ValueKind, to wanted: ValueKind
  ) -> StoredValue? {
    switch (wanted, value) {
    // A NULL with the type of a number is not-a-number.
    case (.date, .null), (.text, .null): return kind.isNumber ? value : nil
    case (.date, .text(let string)):
      return DateParser.date(from: string.trimmingCharacters(in: .whitespaces))
        .map { .double($0.timeIntervalSinceReferenceDate) }
    // A store contains dates as numbers, and compares them with numbers.
    case (.date, _) where kind.isNumber: return value
    case (_, .text(let string)) where wanted.isNumber:
      // A store compares a numeric column with the number in the text.
      return Int64(string).map(StoredValue.integer) ?? Double(string).map(StoredValue.double)
    case (.text, .integer(let number)): return .text(String(number))
    case (.text, .double(let number)) where kind == .double: return .text(String(number))
    case (.text, .decimal(let number)): return .text(number.stringValue)
    case (.text, .uri(let uri)): return .text(uri.absoluteString)
    case (.uri, .text(let string)): return .text(string)
    case (.uuid, .text(let string)): return UUID(uuidString: string).map(StoredValue.uuid)
    case (.uuid, .data(let data)): return UUID(bytes: data).map(StoredValue.uuid)
    default: return nil
    }
  }
}
