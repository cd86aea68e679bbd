/// The type of an expression's value in a request, which is the same for every row.
package enum ValueKind: Equatable {
  /// The constant nil.
  case null
  /// Integers and Boolean values.
  case integer
  case double
  case decimal
  case text
  /// Seconds since 2001-01-01 00:00 UTC, stored as a double.
  case date
  case data
  case uuid
  case uri
  case object(EntityLayout)
  /// A value that the store cannot interpret, such as a transformable value or data that may be in a file. A store can
  /// only compare it with nil.
  case opaque

  package init(_ slot: PropertySlot) {
    switch slot.kind {
    case .toOne, .toMany, .fetched:
      self = slot.relationship.map { .object($0.destination) } ?? .opaque
    case .composite: self = .opaque
    case .attribute(let storage):
      self =
        switch storage {
        case .integer16, .integer32, .integer64, .boolean: .integer
        case .double, .float: .double
        case .decimal: .decimal
        case .string: .text
        case .date: .date
        // The column may contain the name of a file instead of the data.
        case .data: slot.mayBeExternal ? .opaque : .data
        case .uuid: .uuid
        case .uri: .uri
        case .transformable, .object: .opaque
        }
    }
  }

  package static func == (left: ValueKind, right: ValueKind) -> Bool {
    switch (left, right) {
    // A relationship to a parent entity may refer to an object of a subentity.
    case (.object(let a), .object(let b)): a.root === b.root
    default: left.letter == right.letter
    }
  }

  package var isNumber: Bool { self == .integer || self == .double || self == .decimal }

  /// Whether string operators support values of this type.
  package var isMatched: Bool { self == .text || self == .uri }

  /// Whether functions support values of this type. They do not support objects or opaque values.
  package var isScalar: Bool {
    switch self {
    case .object, .opaque: false
    default: true
    }
  }

  /// Whether values of this type have an order.
  package var isOrdered: Bool {
    switch self {
    case .null, .object, .opaque: false
    default: true
    }
  }

  /// Returns whether values of the two types can be compared: equal types, two types of numbers, or any type and nil.
  package func isComparable(to other: ValueKind) -> Bool {
    self == other || isNumber && other.isNumber || self == .null || other == .null
  }

  /// Returns the type that includes the values of both types; nil if there is none.
  package func union(_ other: ValueKind) -> ValueKind? {
    if self == other || other == .null { return self }
    if self == .null { return other }
    guard isNumber, other.isNumber else { return nil }
    return self == .decimal || other == .decimal ? .decimal : .double
  }

  // MARK: Values

  /// Returns a value in the form that functions use.
  package func scalar(_ value: StoredValue) -> Scalar {
    switch value {
    case .null: .null
    case .integer(let value): .integer(value)
    case .double(let value):
      self == .date ? .date(Date(timeIntervalSinceReferenceDate: value)) : .double(value)
    case .decimal(let value): .decimal(value.decimalValue)
    case .text(let value): .text(value)
    case .data(let value): .data(value)
    case .uuid(let value): .uuid(value)
    case .uri(let value): .url(value)
    case .object(let opaque): .other(opaque.value)
    case .reference(let value): .other(value)
    }
  }

  // MARK: Names

  /// The name of the type in a message, with its article.
  package var nameWithArticle: String {
    switch self {
    case .null: "nil"
    case .integer: "an integer"
    case .double: "a double"
    case .decimal: "a decimal"
    case .text: "a string"
    case .date: "a date"
    case .data: "binary data"
    case .uuid: "a UUID"
    case .uri: "a URI"
    case .object(let layout): "an object of \(layout.name)"
    case .opaque: "a value that a store cannot interpret"
    }
  }

  /// The letter of the type. Statements pass the types of a function's arguments as letters.
  package var letter: Character {
    switch self {
    case .null: "0"
    case .integer: "i"
    case .double: "f"
    case .decimal: "m"
    case .text: "t"
    case .date: "d"
    case .data: "b"
    case .uuid: "u"
    case .uri: "l"
    case .object: "o"
    case .opaque: "x"
    }
  }

  /// Creates the type from its letter; nil if functions do not support the type.
  package init?(letter: Character) {
    let known: [ValueKind] = [.null, .integer, .double, .decimal, .text, .date, .data, .uuid, .uri]
    guard let kind = known.first(where: { $0.letter == letter }) else { return nil }
    self = kind
  }
}

extension StoredValue {
  /// Creates the stored value of a function's result. Not-a-number becomes NULL, as in SQL.
  package init(_ scalar: Scalar) {
    if scalar.isNotANumber {
      self = .null
      return
    }
    switch scalar {
    case .null: self = .null
    case .integer(let value): self = .integer(value)
    case .unsigned(let value): self = .double(Double(value))
    case .double(let value): self = .double(value)
    case .decimal(let value): self = .decimal(NSDecimalNumber(decimal: value))
    case .text(let value): self = .text(value)
    case .date(let value): self = .double(value.timeIntervalSinceReferenceDate)
    case .data(let value): self = .data(value)
    case .uuid(let value): self = .uuid(value)
    case .url(let value): self = .uri(value)
    case .other(let value): self = .object(OpaqueValue(value))
    }
  }
}
