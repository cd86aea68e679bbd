/// An expression of a request with every name resolved to a slot and every kind of value known.
package indirect enum BoundExpression {
  case constant(StoredValue, ValueKind)
  case property(BoundPath)
  /// The number of members of a to-many relationship.
  case count(BoundMembers)
  /// `sum:`, `max:` and the like of the values that members have.
  case statistic(PredefinedFunction, BoundValues)
  /// What the database computes as memory does: `+`, `-` and `*` of integers and doubles.
  case arithmetic(ArithmeticOperator, BoundExpression, BoundExpression)
  case function(BoundFunction, [BoundExpression])
  /// A number that nobody knows before: `random`, or one below a limit.
  case random(below: BoundExpression?)
  /// One of two, as a predicate decides; the second where it is unknown.
  case conditional(BoundPredicate, BoundExpression, BoundExpression)
  /// What one member of an ordered relationship has: `players[0].name`.
  case element(BoundMembers, at: Position, BoundExpression)
  /// A function over the rows of a group, in a request for dictionaries.
  case groupAggregate(PredefinedFunction, BoundExpression)
  /// The entity of the object in which a path ends. It is equal to entities, and nothing else is known of it.
  case entity(BoundPath)
  /// The name of the entity of the object in which a path ends.
  case entityName(BoundPath)

  package enum ArithmeticOperator: String { case add = "+", subtract = "-", multiply = "*" }

  package enum Position: Equatable {
    case first(plus: Int64)
    case last
  }

  package var kind: ValueKind {
    switch self {
    case .constant(_, let kind): kind
    case .property(let path): path.kind
    case .count, .random: .integer
    case .statistic(let function, let values):
      BoundFunction(operation: .predefined(function), argumentKinds: [values.element.kind]).kind
        ?? .opaque
    case .arithmetic(_, let left, let right): left.kind.union(right.kind) ?? .opaque
    case .function(let function, _): function.kind ?? .opaque
    case .conditional(_, let first, let second): first.kind.union(second.kind) ?? .opaque
    case .element(_, _, let element): element.kind
    case .entity: .opaque
    case .entityName: .text
    case .groupAggregate(let function, let argument):
      BoundFunction(
        operation: .predefined(function), argumentKinds: function == .count ? [] : [argument.kind]
      ).kind ?? .opaque
    }
  }

  package var isConstant: Bool { if case .constant = self { true } else { false } }

  package var isEntity: Bool { if case .entity = self { true } else { false } }

  /// Whether the expression is the constant nil.
  package var isNullConstant: Bool {
    if case .constant(.null, .null) = self { true } else { false }
  }

  /// Whether some rows give a decimal and others a whole number or double, which a database does
  /// not tell apart.
  package var mixesDecimals: Bool {
    func mixes(_ values: [BoundExpression]) -> Bool {
      let numbers = values.filter(\.kind.isNumber)
      return values.contains(where: \.mixesDecimals)
        || numbers.contains { $0.kind == .decimal } && numbers.contains { $0.kind != .decimal }
    }
    return switch self {
    case .conditional(_, let first, let second): mixes([first, second])
    case .function(let function, let arguments):
      switch function.operation {
      case .predefined(.minimum), .predefined(.maximum): mixes(arguments)
      // These keep the form of the number.
      case .predefined(.floor), .predefined(.ceiling), .predefined(.truncate),
        .predefined(.absolute):
        mixes(arguments)
      default: false
      }
    case .element(_, _, let element): element.mixesDecimals
    case .statistic(_, let values): values.element.mixesDecimals
    default: false
    }
  }

  /// What the expression is, for a message.
  package var subject: String {
    switch self {
    case .property(let path): path.text
    case .constant(let value, _): "the constant \(value)"
    case .count: "a count"
    case .entity: "an entity"
    default: "\(article(kind)) \(kind)"
    }
  }

  /// What the expression is and of which kind, for a message.
  package var description: String {
    if case .property(let path) = self {
      return "\(path.text), which is \(article(kind)) \(kind)"
    }
    return subject
  }

  private func article(_ kind: ValueKind) -> String {
    "aeiou".contains("\(kind)".first ?? " ") ? "an" : "a"
  }
}

/// The members of a to-many relationship, those of them that a subquery lets through.
package struct BoundMembers {
  package let collection: BoundCollection
  package var condition: BoundPredicate?

  package init(collection: BoundCollection, condition: BoundPredicate? = nil) {
    self.collection = collection
    self.condition = condition
  }
}

/// The values that members have, one a member.
package struct BoundValues {
  package let members: BoundMembers
  package let element: BoundExpression
  /// Whether equal values count once, as those of a set do.
  package let isDistinct: Bool
  /// Whether nil counts as a value, as it does in arrays and ordered sets.
  package let keepsNulls: Bool
}
