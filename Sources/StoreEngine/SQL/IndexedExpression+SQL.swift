extension IndexedExpression {
  /// Returns the SQL of an expression for an index or a statement that uses the index, with constants as literals; nil
  /// if an index cannot contain the expression, for example because its value depends on other rows.
  ///
  /// - Parameter column: Returns the SQL of an attribute or to-one relationship of the row.
  package static func sql(
    _ expression: BoundExpression, _ dialect: any SQLDialect, column: (BoundPath) throws -> String?
  ) rethrows -> SQLText? {
    switch expression {
    case .constant(let value, _):
      switch value {
      case .integer: break
      // Infinity and not-a-number have no literals, and SQLite ends a statement at a zero byte.
      case .double(let number) where number.isFinite: break
      case .text(let text) where !text.utf8.contains(0): break
      default: return nil
      }
      return SQLText(dialect.literal(value))
    case .property(let path):
      return path.level == 0 && path.steps.isEmpty ? try column(path).map { SQLText($0) } : nil
    case .arithmetic(let operation, let left, let right):
      guard let left = try sql(left, dialect, column: column),
        let right = try sql(right, dialect, column: column)
      else { return nil }
      return dialect.arithmetic(operation, left, right)
    case .function(let function, let arguments):
      guard case .predefined(let name) = function.operation,
        CaseOrigins.of(name) != nil,
        arguments.count == 1, arguments[0].kind == .text,
        let text = try sql(arguments[0], dialect, column: column)
      else { return nil }
      return dialect.indexedCase(name, text)
    default: return nil
    }
  }
}
