extension NSExpression {
  /// Always `true`: reading an archive creates only expressions, predicates and their parts, and plain values.
  public class var supportsSecureCoding: Bool { true }

  /// Returns an archive of the expression, in the format of `NSKeyedArchiver`.
  ///
  /// - Throws: An ``InvalidPredicateError`` if an archive cannot hold the expression: it contains Swift code, an
  ///   expression that evaluates itself (such as an ``NSFetchRequestExpression``), or a constant that is of an
  ///   unsupported type or a collection of 16 or more levels; or it is nested deeper than 250 levels.
  ///
  /// ```swift
  /// let data = try NSExpression(format: "age * 2").archivedData()
  /// UserDefaults.standard.set(data, forKey: "column")
  /// ```
  public func archivedData() throws -> Data {
    if let reason = Archivability.refusal(of: self) {
      throw InvalidPredicateError("The expression cannot be archived: \(reason)")
    }
    return try NSKeyedArchiver.archivedData(withRootObject: self, requiringSecureCoding: true)
  }

  /// Does nothing.
  ///
  /// Compared to Apple's Core Data: there, a program must allow the evaluation of an expression from an archive,
  /// because it may call any method. Here, an expression can call only predefined functions, certain methods that this
  /// library implements, and the functions of a migration. So it may be evaluated immediately.
  public func allowEvaluation() {}

  /// Writes the parts under the keys that Apple's Foundation uses.
  func encodeParts(with coder: NSCoder) {
    func part(_ expression: NSExpression, _ key: String) { coder.encode(expression, forKey: key) }
    func parts(_ expressions: [NSExpression], _ key: String) {
      coder.encode(NSArray(array: expressions), forKey: key)
    }
    coder.encode(Int(expressionType.rawValue), forKey: Key.type)
    switch node {
    case .constant(let value):
      // For nil, an archive contains no value.
      if flattenOptional(value) != nil, let object = CodedConstant.object(value) {
        // Index words such as FIRST are a special kind of constant.
        coder.encode(
          object, forKey: flattenOptional(value) is IndexSymbol ? Key.symbol : "NSConstantValue")
      }
    case .evaluatedObject, .anyKey, .block, .custom: break
    case .variable(let name): coder.encode(NSString(string: name), forKey: "NSVariable")
    case .keyPath(let path): encodeKeyPath(path, from: .expressionForEvaluatedObject(), coder)
    case .function(let name, let operand, let arguments):
      if let (start, path) = operandKeyPath, case .keyPath = arguments[0].node {
        return encodeKeyPath(path, from: start, coder)
      }
      coder.encode(NSString(string: name), forKey: "NSSelectorName")
      parts(arguments, "NSArguments")
      if let operand {
        part(operand, "NSOperand")
      } else {
        coder.encode(PredefinedFunctions(), forKey: "NSOperand")
      }
    case .set(_, let left, let right):
      part(left, "NSLeftExpression")
      part(right, "NSRightExpression")
    case .aggregate(let elements): parts(elements, "NSCollection")
    case .subquery(let collection, let variable, let predicate):
      part(collection, "NSCollection")
      part(NSExpression(forVariable: variable), "NSVariableExpression")
      coder.encode(PredicatePart(predicate), forKey: "NSPredicate")
    case .conditional(let predicate, let first, let second):
      coder.encode(PredicatePart(predicate), forKey: "NSPredicate")
      part(first, "NSTrueExpression")
      part(second, "NSFalseExpression")
    }
  }

  private func encodeKeyPath(_ path: String, from start: NSExpression, _ coder: NSCoder) {
    let isSimple = start.expressionType == .evaluatedObject && !path.contains(".")
    coder.encode(start, forKey: "NSOperand")
    coder.encode(
      NSString(string: isSimple ? "valueForKey:" : NSExpression.keyPathFunction),
      forKey: "NSSelectorName")
    coder.encode(NSArray(object: KeyPathSpecifier(path)), forKey: "NSArguments")
  }

  enum Key {
    static let type = "NSExpressionType"
    static let className = "NSConstantValueClassName"
    static let symbol = "NSSymbolicIndex"
    /// The class that declares the predefined functions as methods.
    static let predefinedFunctions = "_NSPredicateUtilities"
  }
}

// A coder archives only one of two equal objects. Objects of the following classes would be equal to
// other parts if they were expressions, so the classes are not subclasses of `NSExpression`.

/// The operand of predefined functions in archives: the name of the class that declares them.
private final class PredefinedFunctions: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  override var classForKeyedArchiver: AnyClass? { ConstantValueExpression.self }
  override init() {}
  init?(coder: NSCoder) { nil }

  func encode(with coder: NSCoder) {
    coder.encode(0, forKey: NSExpression.Key.type)
    coder.encode(
      NSString(string: NSExpression.Key.predefinedFunctions), forKey: NSExpression.Key.className)
  }
}

/// The text of a key path, which archives store as a separate argument.
private final class KeyPathSpecifier: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  override var classForKeyedArchiver: AnyClass? { KeyPathSpecifierExpression.self }
  private let path: String
  init(_ path: String) { self.path = path }
  init?(coder: NSCoder) { nil }

  func encode(with coder: NSCoder) {
    coder.encode(10, forKey: NSExpression.Key.type)
    coder.encode(NSString(string: path), forKey: "NSKeyPath")
  }
}

/// Creates expressions from the parts in an archive.
enum ExpressionDecoder {
  static func node(_ coder: NSCoder) throws -> ExpressionNode {
    let type = coder.decodeInteger(forKey: NSExpression.Key.type)
    switch type {
    case 0: return try constant(coder)
    case 1: return .evaluatedObject
    case 2: return .variable(try name(coder, "NSVariable"))
    // Key paths and functions are archived with the same parts.
    case 3, 4: return try function(coder)
    case 5: return try set(.union, coder)
    case 6: return try set(.intersect, coder)
    case 7: return try set(.minus, coder)
    case 10: return .keyPath(try name(coder, "NSKeyPath"))
    case 13: return try subquery(coder)
    case 14: return .aggregate(try Coding.expressions(coder, "NSCollection"))
    case 15: return .anyKey
    case 20:
      return .conditional(
        try Coding.predicate(coder, "NSPredicate"),
        true: try Coding.expression(coder, "NSTrueExpression"),
        false: try Coding.expression(coder, "NSFalseExpression"))
    default: throw InvalidPredicateError("an expression has the unknown type \(type)")
    }
  }

  private static func name(_ coder: NSCoder, _ key: String) throws -> String {
    guard let name = Coding.text(coder, key), !name.isEmpty else {
      throw InvalidPredicateError("an expression has no text under \(key)")
    }
    return name
  }

  private static func constant(_ coder: NSCoder) throws -> ExpressionNode {
    if let text = Coding.text(coder, NSExpression.Key.symbol) {
      guard let symbol = IndexSymbol(rawValue: text) else {
        throw InvalidPredicateError("\(text) is not an index word (FIRST, LAST or SIZE)")
      }
      return .constant(symbol)
    }
    if let name = Coding.text(coder, NSExpression.Key.className) {
      guard name == NSExpression.Key.predefinedFunctions else {
        throw InvalidPredicateError("the class \(name) is unknown")
      }
      return .constant(PredefinedFunctionsOperand())
    }
    return .constant(CodedConstant.value(Coding.object(coder, "NSConstantValue")))
  }

  private static func function(_ coder: NSCoder) throws -> ExpressionNode {
    let name = try name(coder, "NSSelectorName")
    let arguments = try Coding.expressions(coder, "NSArguments")
    guard coder.containsValue(forKey: "NSOperand") else { return try predefined(name, arguments) }
    let operand = try Coding.expression(coder, "NSOperand")
    if case .constant(is PredefinedFunctionsOperand) = operand.node {
      return try predefined(name, arguments)
    }
    if name == "valueForKey:" || name == NSExpression.keyPathFunction, arguments.count == 1,
      case .keyPath(let path) = arguments[0].node
    {
      // Join the paths, because the operand may be a key path itself, and the parser joins its keys
      // too.
      return operand.appending(keyPath: path).node
    }
    return .function(name: name, operand: operand, arguments: arguments)
  }

  private static func predefined(
    _ name: String, _ arguments: [NSExpression]
  ) throws -> ExpressionNode {
    // A damaged archive may contain any function, with any number of arguments.
    try PredefinedFunction.check(name, argumentCount: arguments.count)
    return .function(name: name, operand: nil, arguments: arguments)
  }

  private static func set(
    _ operation: ExpressionNode.SetOperation, _ coder: NSCoder
  ) throws -> ExpressionNode {
    .set(
      operation, try Coding.expression(coder, "NSLeftExpression"),
      try Coding.expression(coder, "NSRightExpression"))
  }

  private static func subquery(_ coder: NSCoder) throws -> ExpressionNode {
    // Some archives contain the variable's name, others an expression.
    let variable = Coding.object(coder, "NSVariableExpression")
    let name: String
    switch variable {
    case let text as NSString: name = "\(text)"
    case let expression as NSExpression:
      guard case .variable(let text) = expression.node else { fallthrough }
      name = text
    default: throw InvalidPredicateError("a subquery has no variable")
    }
    return .subquery(
      collection: try Coding.expression(coder, "NSCollection"),
      // Variables have no dollar sign in this library.
      variable: name.hasPrefix("$") ? String(name.dropFirst()) : name,
      predicate: try Coding.predicate(coder, "NSPredicate"))
  }
}

/// The decoded operand of a predefined function; `ExpressionDecoder` discards it.
private struct PredefinedFunctionsOperand {}
