import Foundation
import Predicates

extension IndexedExpression {
  /// The text of an expression for an index or a statement that an index is to serve, its constants as
  /// literals; nil where a database does not know a function, or other rows decide.
  ///
  /// - Parameter column: the text of an attribute or a to-one relationship of the row.
  package static func sql(
    _ expression: BoundExpression, column: (BoundPath) throws -> String?
  ) rethrows -> String? {
    switch expression {
    case .constant(let value, _):
      switch value {
      case .integer: return SQLText.literal(value)
      case .double(let number): return number.isFinite ? SQLText.literal(value) : nil
      case .text(let text): return text.utf8.contains(0) ? nil : SQLText.literal(value)
      default: return nil
      }
    case .property(let path):
      return path.level == 0 && path.steps.isEmpty ? try column(path) : nil
    case .arithmetic(let operation, let left, let right):
      guard let left = try sql(left, column: column), let right = try sql(right, column: column)
      else { return nil }
      return "(\(left) \(operation.rawValue) \(right))"
    case .function(let function, let arguments):
      guard case .predefined(let name) = function.operation,
        let originals = CaseOrigins.of(name), arguments.count == 1, arguments[0].kind == .text,
        let text = try sql(arguments[0], column: column)
      else { return nil }
      return "\(originals.sqlName)(\(text))"
    default: return nil
    }
  }
}
