/// An expression of a request with resolved names and known types.
package indirect enum BoundExpression {
  case constant(StoredValue, ValueKind)
  case property(BoundPath)
  /// The number of members of a to-many relationship.
  case count(BoundMembers)
  /// An aggregate function such as `sum:` or `max:` over values of members.
  case statistic(PredefinedFunction, BoundValues)
  /// An operation with the same result in the database and in memory: `+`, `-` and `*` of integers and doubles.
  case arithmetic(ArithmeticOperator, BoundExpression, BoundExpression)
  case function(BoundFunction, [BoundExpression])
  /// A random number: `random`, or one below a limit.
  case random(below: BoundExpression?)
  /// One of two values, chosen by a predicate. If the predicate is unknown, the second one.
  case conditional(BoundPredicate, BoundExpression, BoundExpression)
  /// A value of one member of an ordered relationship: `players[0].name`.
  case element(BoundMembers, at: Position, BoundExpression)
  /// An aggregate function over the rows of a group, in a dictionary request.
  case groupAggregate(PredefinedFunction, BoundExpression)
  /// The entity of the object at the end of a path. It can only be compared with entities.
  case entity(BoundPath)
  /// The name of the entity of the object at the end of a path.
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

  /// Whether the expression is a decimal attribute. Its cell may contain more digits than a double.
  package var isDecimalAttribute: Bool {
    if case .property(let path) = self { path.attribute?.storage == .decimal } else { false }
  }

  /// Whether the expression is the constant nil.
  package var isNullConstant: Bool {
    if case .constant(.null, .null) = self { true } else { false }
  }

  /// Whether the value may be a decimal for some rows and an integer or double for others. A database does not
  /// distinguish these types.
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
      // The result of these functions has the type of the argument.
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

  /// A description of the expression for a message.
  package var subject: String {
    switch self {
    case .property(let path): path.text
    case .constant(.null, _): "nil"
    case .constant(let value, let kind):
      "the constant \(NSExpression(forConstantValue: kind.scalar(value).boxed))"
    case .count: "a count"
    case .entity: "an entity"
    default: kind.nameWithArticle
    }
  }

  /// A description of the expression and its type for a message.
  package var description: String {
    if case .property(let path) = self { return "\(path.text), which is \(kind.nameWithArticle)" }
    return subject
  }
}

/// The members of a to-many relationship, or those that a subquery selects.
package struct BoundMembers {
  package let collection: BoundCollection
  package var condition: BoundPredicate?

  package init(collection: BoundCollection, condition: BoundPredicate? = nil) {
    self.collection = collection
    self.condition = condition
  }
}

/// The values of members, one for each.
package struct BoundValues {
  package let members: BoundMembers
  package let element: BoundExpression
  /// Whether equal values count once, as those of a set do.
  package let isDistinct: Bool
  /// Whether nil counts as a value, as it does in arrays and ordered sets.
  package let keepsNulls: Bool
}
