extension PredicateBinder {
  /// Binds a function call whose value depends on the row.
  package func function(_ expression: NSExpression) throws -> ResolvedExpression {
    guard case .function(let name, let receiver, let arguments) = expression.node else {
      throw CoreDataError.badRequest(
        "this expression cannot be used in a fetch request: \(expression)")
    }
    if let receiver { return .single(try message(name, receiver, arguments, expression)) }
    guard let function = PredefinedFunction(rawValue: name) else {
      throw unsupported(expression)
    }
    switch function {
    case .noIndex: return try resolve(arguments[0])
    case .indexedBy: return try indexed(arguments, expression)
    case .random: return .single(.random(below: nil))
    case .randomBelow:
      let limit = try single(arguments[0])
      guard limit.kind.isNumber || limit.kind == .null else {
        throw CoreDataError.badRequest(
          "\(expression): randomn: does not support \(limit.description)")
      }
      return .single(.random(below: limit))
    case .elementAtIndex: return try element(of: arguments[0], at: arguments[1], expression)
    case .cast:
      guard case .text(let type)? = try constantValue(arguments[1]).map({ Scalar($0.value) }) else {
        throw CoreDataError.badRequest("CAST requires the name of a type: \(expression)")
      }
      return .single(try call(.cast(type), [try single(arguments[0])], expression))
    case .divide:
      let values = try arguments.map(single)
      if values.contains(where: \.mixesDecimals) {
        throw CoreDataError.badRequest(
          "\(expression) divides integers in some rows and decimals in others, with different results: CAST one of"
            + " its operands to NSDecimalNumber or NSNumber")
      }
      return .single(try call(.predefined(function), values, expression))
    case .add, .subtract, .multiply:
      return .single(try arithmetic(function, try arguments.map(single), expression))
    case .now, .distance: throw unsupported(expression)
    case .sum, .count, .minimum, .maximum, .average, .median, .mode, .standardDeviation:
      return .single(try statistic(function, arguments, expression))
    default:
      return .single(try call(.predefined(function), try arguments.map(single), expression))
    }
  }

  private func unsupported(_ expression: NSExpression) -> any Error {
    CoreDataError.badRequest(
      "Unsupported function expression \(expression): a store cannot compute it")
  }

  private func call(
    _ operation: BoundFunction.Operation, _ arguments: [BoundExpression], _ expression: NSExpression
  ) throws -> BoundExpression {
    let function = BoundFunction(operation: operation, argumentKinds: arguments.map(\.kind))
    guard function.kind != nil else {
      switch operation {
      case .cast(let type):
        throw CoreDataError.badRequest("CAST does not support the type \(type): \(expression)")
      case .predefined:
        throw CoreDataError.badRequest(
          "\(expression): the function does not support"
            + " \(arguments.map(\.subject).joined(separator: " and "))")
      case .key, .message: throw unsupported(expression)
      }
    }
    return .function(function, arguments)
  }

  /// Returns an operator of the database if its result is that of evaluation in memory, as for integers and doubles;
  /// otherwise a function call.
  private func arithmetic(
    _ function: PredefinedFunction, _ arguments: [BoundExpression], _ expression: NSExpression
  ) throws -> BoundExpression {
    let result = try call(.predefined(function), arguments, expression)
    guard result.kind == .integer || result.kind == .double, arguments.count == 2 else {
      return result
    }
    let operations: [PredefinedFunction: BoundExpression.ArithmeticOperator] = [
      .add: .add, .subtract: .subtract, .multiply: .multiply,
    ]
    return operations[function].map { .arithmetic($0, arguments[0], arguments[1]) } ?? result
  }

  /// Binds `FUNCTION(receiver, "selector:", …)`.
  private func message(
    _ selector: String, _ receiver: NSExpression, _ arguments: [NSExpression],
    _ expression: NSExpression
  ) throws -> BoundExpression {
    let owner = try single(receiver)
    if arguments.isEmpty { return try call(.key(selector), [owner], expression) }
    return try call(.message(selector), [owner] + (try arguments.map(single)), expression)
  }

  // MARK: Functions of many values

  private func statistic(
    _ function: PredefinedFunction, _ arguments: [NSExpression], _ expression: NSExpression
  ) throws -> BoundExpression {
    if arguments.count == 1 {
      let resolved = try resolve(arguments[0])
      switch resolved {
      case .composite(let composite): throw composite.refusal
      case .collection, .values:
        return try statistic(function, try values(resolved, expression))
      case .single(let argument) where bindsGroups:
        return try groupAggregate(function, argument, expression)
      case .single(let argument):
        return try statistic(function, of: [argument], expression)
      case .list(let elements):
        let values = try elements.map(single)
        // The count of a list includes elements that are nil.
        if function == .count { return .constant(.integer(Int64(values.count)), .integer) }
        return try statistic(function, of: values, expression)
      }
    }
    return try statistic(function, of: try arguments.map(single), expression)
  }

  /// Returns an aggregate function over the rows of a group.
  private func groupAggregate(
    _ function: PredefinedFunction, _ argument: BoundExpression, _ expression: NSExpression
  ) throws -> BoundExpression {
    let result = BoundExpression.groupAggregate(function, argument)
    guard result.kind != .opaque else {
      throw CoreDataError.badRequest(
        "\(function.rawValue) does not support \(argument.description): \(expression)")
    }
    return result
  }

  /// Returns an aggregate function of values of one row: `max:(age, score)`.
  private func statistic(
    _ function: PredefinedFunction, of arguments: [BoundExpression], _ expression: NSExpression
  ) throws -> BoundExpression {
    if function == .mode {
      throw CoreDataError.badRequest("mode: has many values; compare it with IN: \(expression)")
    }
    return try call(.predefined(function), arguments, expression)
  }

  /// Returns an aggregate function over the values of members.
  package func statistic(_ function: PredefinedFunction, _ values: BoundValues) throws
    -> BoundExpression
  {
    if function == .count {
      if case .property(let path) = values.element, path.isRow { return .count(values.members) }
      return .statistic(.count, values)
    }
    if function == .mode {
      throw CoreDataError.badRequest(
        "mode: has many values; compare it with IN: mode:(\(values.element.subject))")
    }
    let result = BoundExpression.statistic(function, values)
    guard result.kind != .opaque else {
      throw CoreDataError.badRequest(
        "\(function.rawValue) does not support \(values.element.description)")
    }
    return result
  }

  // MARK: Choices and elements

  /// Binds `TERNARY(predicate, first, second)`.
  package func conditional(
    _ predicate: NSPredicate, _ first: NSExpression, _ second: NSExpression,
    _ expression: NSExpression
  ) throws -> BoundExpression {
    let left = try single(first)
    let right = try single(second)
    guard left.kind.union(right.kind) != nil else {
      throw CoreDataError.badRequest(
        "the two values of \(expression) have incompatible types: \(left.subject) and"
          + " \(right.subject)")
    }
    return .conditional(try bind(predicate), left, right)
  }

  /// Binds an element: `players[0]`, `players[LAST]`, `players[SIZE]`, `{a, b}[1]`.
  private func element(
    of collection: NSExpression, at index: NSExpression, _ expression: NSExpression
  ) throws -> ResolvedExpression {
    guard let constant = try constantValue(index) else {
      throw CoreDataError.badRequest("the index must be a constant: \(expression)")
    }
    let symbol = constant.value as? IndexSymbol
    let number = Scalar(constant.value).integerValue
    guard symbol != nil || number != nil else {
      throw CoreDataError.badRequest("the index of a collection must be a number: \(expression)")
    }
    let resolved = try resolve(collection)
    switch resolved {
    case .list(let elements):
      if symbol == .size {
        return .single(.constant(.integer(Int64(elements.count)), .integer))
      }
      let place =
        switch symbol {
        case .last: elements.count - 1
        case .first, .size: 0
        case nil: number.map(Int.init) ?? 0
        }
      guard elements.indices.contains(place) else {
        if symbol != nil { return .single(.constant(.null, .null)) }
        throw CoreDataError.badRequest(
          "the index \(place) is out of range of \(MessageText.counted(elements.count, "element")): \(expression)"
        )
      }
      return try resolve(elements[place])
    case .collection(let members, let rest):
      if symbol == .size {
        return .single(try statistic(.count, try values(resolved, expression)))
      }
      guard members.collection.isOrdered, rest.isEmpty else {
        throw CoreDataError.badRequest(
          "an index requires an ordered relationship, which \(members.collection.name) is not"
            + "\(rest.isEmpty ? "" : " (write (\(members.collection.name)[…]).\(rest.joined(separator: ".")))"):"
            + " \(expression)")
      }
      let position: BoundExpression.Position =
        symbol == .last ? .last : .first(plus: symbol == .first ? 0 : number ?? 0)
      if case .first(plus: let offset) = position, offset < 0 {
        throw CoreDataError.badRequest("the index \(offset) is below 0: \(expression)")
      }
      return .single(.element(members, at: position, members.collection.member))
    case .values, .single, .composite:
      throw CoreDataError.badRequest("an index requires an ordered relationship: \(expression)")
    }
  }
}
