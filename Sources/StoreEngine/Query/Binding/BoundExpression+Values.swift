extension StoredValue {
  /// The text that string operators match; nil for a value that is neither a string nor a URI.
  package var matchedText: String? {
    switch self {
    case .text(let text): text
    case .uri(let uri): uri.absoluteString
    default: nil
    }
  }
}

extension BoundExpression.ArithmeticOperator {
  /// Computes the result as SQLite does. It is an integer if both operands are integers and the result is in range;
  /// otherwise it is a double, or NULL if an operand or the result is not a number.
  package func value(_ left: StoredValue, _ right: StoredValue) -> StoredValue {
    if case .integer(let a) = left, case .integer(let b) = right {
      let (result, overflow): (Int64, Bool) =
        switch self {
        case .add: a.addingReportingOverflow(b)
        case .subtract: a.subtractingReportingOverflow(b)
        case .multiply: a.multipliedReportingOverflow(by: b)
        }
      if !overflow { return .integer(result) }
    }
    guard let a = left.number, let b = right.number else { return .null }
    let result =
      switch self {
      case .add: a + b
      case .subtract: a - b
      case .multiply: a * b
      }
    return result.isNaN ? .null : .double(result)
  }
}

/// The functions `random` and `randomn:`.
package enum RandomNumber {
  package static func next(below limit: Scalar?) throws -> Scalar {
    guard let limit else { return .integer(Int64.random(in: 0...Int64(Int32.max))) }
    return try PredefinedFunction.random(below: limit)
  }
}
